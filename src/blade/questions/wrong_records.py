"""Which failures act on another entry of a list than the expected one?"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Advice, Block, Bullets, Paragraph, Sentence, say
from blade.questions import SURE, in_order, judged, run_p, task_list
from blade.stats.multiple import benjamini_hochberg
from blade.stats.rounding import WRITTEN, significant
from blade.wording import amount, count, fact, listed

TITLE = "Another entry than the expected one"
ORDER = 43
WEIGHT = 0.9
FEWEST, FEWEST_TASKS = 4, 3
LIKELY = 0.4
_PATH = ("investigation", "wrong_records")


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """By argument and tool: failures that give one identifier of a tool's answer where another of it was expected.

    They are told where one run does so beyond chance, or where mostly the entry that stands first is taken.
    """
    everyone = [case for run in runs for case in judged(run)]
    groups: defaultdict[tuple[str, str], list[Case]] = defaultdict(list)
    for case in everyone:
        if not case.passed and (shown := case.observed.get("both_shown")):
            groups[shown[0], shown[3]].append(case)
    groups_told = [
        (argument, tool, cases)
        for (argument, tool), cases in groups.items()
        if len(cases) >= FEWEST and len({case.key for case in cases}) >= FEWEST_TASKS
    ]
    p_of = [run_p(everyone, {id(case) for case in cases}) for *_, cases in groups_told]
    adjusted = iter(benjamini_hochberg([p for p in p_of if p is not None]))
    entries = [
        _entry(argument, tool, cases, runs) | {"p": None if p is None else significant(next(adjusted), WRITTEN)}
        for (argument, tool, cases), p in zip(groups_told, p_of, strict=True)
    ]
    entries = [entry for entry in entries if _is_of_a_run(entry) or _takes_the_first(entry)]
    entries.sort(key=lambda entry: (-entry["rollouts"], entry["argument"], entry["tool"]))
    return {"arguments": entries} if entries else None


def _is_of_a_run(entry: Mapping[str, Any]) -> bool:
    return entry["p"] is not None and bool(entry["p"] <= SURE)


def _takes_the_first(entry: Mapping[str, Any]) -> bool:
    """Whether the entry that stands first is taken more often than a coin would take it."""
    many, first = entry["rollouts"], entry["first"]
    return bool(sum(math.comb(many, taken) for taken in range(first, many + 1)) <= SURE * 2**many)


def _entry(argument: str, tool: str, cases: Sequence[Case], runs: Sequence[RunCases]) -> dict[str, Any]:
    of_run = Counter(case.run for case in cases)
    tasks = {case.key for case in cases}
    at_tasks = {run.run.name: [case for case in judged(run) if case.key in tasks] for run in runs}
    _, given, right, _, _ = cases[0].observed["both_shown"]
    return {
        "argument": argument,
        "tool": tool,
        "rollouts": len(cases),
        "first": sum(bool(case.observed["both_shown"][4]) for case in cases),
        "tasks": in_order(case.label for case in cases),
        "runs": [
            {
                "run": run.run.name,
                "rollouts": of_run[run.run.name],
                "there": len(at_tasks[run.run.name]),
                "passes": sum(bool(case.passed) for case in at_tasks[run.run.name]),
            }
            for run in runs
        ],
        "example": {"run": cases[0].run, "task": cases[0].label, "given": given, "right": right},
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    items = [Paragraph(tuple(_sentences(place, entry))) for place, entry in enumerate(answer["arguments"])]
    return [Bullets(tuple(items))]


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    yield next(_sentences(0, answer["arguments"][0]))


def _sentences(place: int, entry: Mapping[str, Any]) -> Iterator[Sentence]:
    path, example = (*_PATH, "arguments", place), entry["example"]
    shares = [f"{run['run']} {run['rollouts']:,}" for run in entry["runs"] if run["rollouts"]]
    yield say(
        "{rollouts} of {tasks} give another {argument} than expected, and one answer of {tool} shows both"
        + (" ({runs})" if len(entry["runs"]) > 1 else "")
        + ", e.g. “{given}” for “{right}” in task {task} of {run}; {first} of them "
        + ("takes" if entry["first"] == 1 else "take")
        + " the one that stands first there.",
        rollouts=fact(count(entry["rollouts"], "failure"), entry["rollouts"], *path, "rollouts"),
        tasks=fact(count(len(entry["tasks"]), "task"), len(entry["tasks"]), *path, "tasks"),
        argument=entry["argument"],
        tool=entry["tool"],
        runs=listed(shares),
        first=amount(entry["first"], *path, "first"),
        **example,
    )
    rates = [f"{run['run']} passes {run['passes']:,} of {run['there']:,}" for run in entry["runs"] if run["there"]]
    yield say("At these tasks ({tasks}) {rates}.", tasks=task_list(entry["tasks"]), rates=listed(rates))
    if _is_of_a_run(entry):
        most = max(entry["runs"], key=lambda run: run["rollouts"] / max(run["there"], 1))
        yield say("It is more common in {run} than elsewhere (p = {p}).", run=most["run"], p=f"{entry['p']:.2g}")


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """The agent is to tell entries apart before it acts on one."""
    for place, entry in enumerate(answer["arguments"]):
        yield Advice(
            "prompt",
            f"Have the agent name what tells the entries of {entry['tool']} apart before it acts on one, or ask which "
            "is meant",
            say(
                "{rollouts} act on another entry than the expected one.",
                rollouts=fact(
                    count(entry["rollouts"], "failure"), entry["rollouts"], *_PATH, "arguments", place, "rollouts"
                ),
            ),
            entry["rollouts"],
            LIKELY,
        )
