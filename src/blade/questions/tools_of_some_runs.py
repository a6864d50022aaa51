"""Which tools do only some runs have, and what do the tasks show at which the runs that have them call them?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from blade.change.config_diff import tools_of
from blade.diagnosis.cases import Case, RunCases
from blade.document import Advice, Block, Bullets, Paragraph, Sentence, say
from blade.questions import SURE, by_task, common_part, in_order, judged, task_list
from blade.stats.multiple import benjamini_hochberg
from blade.stats.rounding import WRITTEN, significant
from blade.stats.strata import exact_p
from blade.wording import amount, count, fact, listed

TITLE = "A tool that only some runs have"
ORDER = 58
WEIGHT = 1.2
FEWEST, FEWEST_TASKS = 5, 3
MOST_TOOLS = 4
"""Runs that differ in more tools than these are different agents: no single tool tells them apart."""
HALF = 0.5
FARTHER = 0.1
"""So much larger than elsewhere is the lead of runs with a tool at its tasks: else they are better in any case."""
LIKELY = 0.6
_PATH = ("investigation", "tools_of_some_runs")


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Tools of some runs, each with the tasks at which these call it and what runs pass there with it and without it.

    Told is what differs beyond chance, task by task.
    """
    if len(runs) < 2:
        return None
    offered = {run.run.name: tools_of(run.run) for run in runs}
    all_listed = all(names is not None for names in offered.values())
    called = {} if all_listed else _called_sets(runs)
    sets = {run: called[run] if names is None else frozenset(names) for run, names in offered.items()}
    of_all = frozenset.intersection(*sets.values())
    of_some = frozenset[str]().union(*sets.values()) - of_all
    if not of_all or not 0 < len(of_some) <= MOST_TOOLS:
        return None
    tested = [candidate for tool in sorted(of_some) if (candidate := _of_tool(tool, runs, sets)) is not None]
    adjusted = benjamini_hochberg([p for _, p in tested])
    tools = [
        entry | {"offered": all_listed, "p": significant(p, WRITTEN)}
        for (entry, _), p in zip(tested, adjusted, strict=True)
        if p <= SURE
    ]
    tools.sort(key=lambda entry: (entry["p"], entry["tool"]))
    return {"tools": tools} if tools else None


def _called_sets(runs: Sequence[RunCases]) -> dict[str, frozenset[str]]:
    """The tools that each run calls more than a few times; where rows do not list the tools, that is all one knows."""
    rollouts = {run.run.name: Counter(tool for case in judged(run) for tool in set(case.tools)) for run in runs}
    usual = {tool for counts in rollouts.values() for tool, calls in counts.items() if calls >= FEWEST}
    return {run: frozenset(usual & counts.keys()) for run, counts in rollouts.items()}


def _of_tool(
    tool: str, runs: Sequence[RunCases], sets: Mapping[str, Collection[str]]
) -> tuple[dict[str, Any], float] | None:
    """What is told of a tool, and the chance that runs with it and without it differ so at its tasks."""
    having = [run for run in runs if tool in sets[run.run.name]]
    lacking = [run for run in runs if tool not in sets[run.run.name]]
    tasks_with = by_task([case for run in having for case in judged(run)])
    tasks_without = by_task([case for run in lacking for case in judged(run)])
    tasks = [
        key
        for key, cases in tasks_with.items()
        if key in tasks_without and sum(tool in case.tools for case in cases) > HALF * len(cases)
    ]
    if len(tasks) < FEWEST_TASKS or len(tasks) == len(tasks_with.keys() & tasks_without.keys()):
        return None
    cases_with = [case for key in tasks for case in tasks_with[key]]
    cases_without = [case for key in tasks for case in tasks_without[key]]
    if min(len(cases_with), len(cases_without)) < FEWEST:
        return None
    p = exact_p([(*_outcomes(tasks_with[key]), *_outcomes(tasks_without[key])) for key in tasks])
    if p is None or _passes(cases_with) * len(cases_without) <= _passes(cases_without) * len(cases_with):
        return None
    calling = [case for case in cases_with if tool in case.tools]
    silent = [case for case in cases_with if tool not in case.tools]
    task_keys = frozenset(tasks)
    common = [key for key in tasks_with if key in tasks_without and key not in task_keys]
    elsewhere = [[case for key in common for case in side[key]] for side in (tasks_with, tasks_without)]
    gaps = [_rate(side) - _rate(other_side) for side, other_side in ((cases_with, cases_without), elsewhere)]
    if gaps[0] < gaps[1] + FARTHER:
        return None
    entry = {
        "tool": tool,
        "having": [run.run.name for run in having],
        "lacking": [run.run.name for run in lacking],
        "tasks": in_order(tasks_with[key][0].label for key in tasks),
        "of_tasks": len(tasks),
        "part": common_part(runs, tasks),
        "runs": [_of_run(run, tasks, tool) for run in (*having, *lacking)],
        "with": {"rollouts": len(cases_with), "passes": _passes(cases_with)},
        "without": {
            "rollouts": len(cases_without),
            "passes": _passes(cases_without),
            "failures": len(cases_without) - _passes(cases_without),
        },
        "calling": {"rollouts": len(calling), "passes": _passes(calling)},
        "not_calling": {"rollouts": len(silent), "passes": _passes(silent)},
        "elsewhere": [{"rollouts": len(side), "passes": _passes(side)} for side in elsewhere],
    }
    return entry, p


def _of_run(run: RunCases, tasks: Collection[str], tool: str) -> dict[str, Any]:
    task_keys = frozenset(tasks)
    cases = [case for case in judged(run) if case.key in task_keys]
    calls = sum(tool in case.tools for case in cases)
    return {"run": run.run.name, "rollouts": len(cases), "passes": _passes(cases), "calling": calls}


def _passes(cases: Sequence[Case]) -> int:
    return sum(bool(case.passed) for case in cases)


def _rate(cases: Sequence[Case]) -> float:
    return _passes(cases) / max(len(cases), 1)


def _outcomes(cases: Sequence[Case]) -> tuple[int, int]:
    return _passes(cases), len(cases) - _passes(cases)


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Bullets(tuple(Paragraph(tuple(_sentences(place, entry))) for place, entry in enumerate(answer["tools"])))]


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """What the first of the tools goes with."""
    yield next(_sentences(0, answer["tools"][0]))


def _sentences(place: int, entry: Mapping[str, Any]) -> Iterator[Sentence]:
    path = (*_PATH, "tools", place)
    part = entry["part"]
    slice_words = ""
    if part and part["inside"] == part["of"]:
        slice_words = f", all of them where {part['field']} is {part['level']}"
    elif part:
        slice_words = f", {part['inside']:,} of them where {part['field']} is {part['level']}"
    several = len(entry["having"]) > 1
    yield say(
        "Only {having} {have} {tool}; {lacking} {lack} it. At the {tasks} at which {these} in most rollouts ({list}"
        "{where}) {passes} of {rollouts} pass with it on offer and {other_passes} of {others} without it (exact test "
        "by tasks p = {p}); at the other tasks of both {elsewhere} of {of_elsewhere} and {other_elsewhere} of "
        "{of_other_elsewhere}.",
        having=listed(entry["having"]),
        have=("have" if several else "has") if entry["offered"] else ("call" if several else "calls"),
        tool=entry["tool"],
        lacking=listed(entry["lacking"]),
        lack=_lack(entry),
        tasks=fact(count(entry["of_tasks"], "task"), entry["of_tasks"], *path, "of_tasks"),
        these="these call it" if several else "it is called",
        list=task_list(entry["tasks"]),
        where=slice_words,
        passes=amount(entry["with"]["passes"], *path, "with", "passes"),
        rollouts=amount(entry["with"]["rollouts"], *path, "with", "rollouts"),
        other_passes=amount(entry["without"]["passes"], *path, "without", "passes"),
        others=amount(entry["without"]["rollouts"], *path, "without", "rollouts"),
        p=fact(f"{entry['p']:.2g}", entry["p"], *path, "p"),
        elsewhere=amount(entry["elsewhere"][0]["passes"], *path, "elsewhere", 0, "passes"),
        of_elsewhere=amount(entry["elsewhere"][0]["rollouts"], *path, "elsewhere", 0, "rollouts"),
        other_elsewhere=amount(entry["elsewhere"][1]["passes"], *path, "elsewhere", 1, "passes"),
        of_other_elsewhere=amount(entry["elsewhere"][1]["rollouts"], *path, "elsewhere", 1, "rollouts"),
    )
    runs = [f"{run['run']} {run['passes']:,} of {run['rollouts']:,}" for run in entry["runs"]]
    if len(runs) > 2:
        yield say("By run: {runs}.", runs=listed(runs))
    if entry["not_calling"]["rollouts"]:
        yield say(
            "Where it is on offer there, {calling} of the {of_calling} that call it pass and {silent} of the "
            "{of_silent} that {do} not.",
            calling=amount(entry["calling"]["passes"], *path, "calling", "passes"),
            of_calling=fact(
                count(entry["calling"]["rollouts"], "rollout"),
                entry["calling"]["rollouts"],
                *path,
                "calling",
                "rollouts",
            ),
            silent=amount(entry["not_calling"]["passes"], *path, "not_calling", "passes"),
            of_silent=amount(entry["not_calling"]["rollouts"], *path, "not_calling", "rollouts"),
            do="does" if entry["not_calling"]["rollouts"] == 1 else "do",
        )


def _lack(entry: Mapping[str, Any]) -> str:
    if not entry["offered"]:
        return "never call" if len(entry["lacking"]) > 1 else "never calls"
    return "lack" if len(entry["lacking"]) > 1 else "lacks"


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """Runs are compared at tasks for which all have the means."""
    for place, entry in enumerate(answer["tools"]):
        path = (*_PATH, "tools", place)
        yield Advice(
            "harness",
            f"Offer {entry['tool']} in all runs, or leave the tasks that need it out before the runs are compared",
            say(
                "Without it {lacking} {verb} {failures} of {rollouts} at these {tasks}.",
                lacking=listed(entry["lacking"]),
                verb="fail" if len(entry["lacking"]) > 1 else "fails",
                failures=amount(entry["without"]["failures"], *path, "without", "failures"),
                rollouts=fact(
                    count(entry["without"]["rollouts"], "rollout"),
                    entry["without"]["rollouts"],
                    *path,
                    "without",
                    "rollouts",
                ),
                tasks=fact(count(entry["of_tasks"], "task"), entry["of_tasks"], *path, "of_tasks"),
            ),
            entry["without"]["failures"],
            LIKELY,
        )
