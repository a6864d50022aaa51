"""On the tasks that expect which change do two runs part, and are they alike on the others?"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.effective_key import refused_changes
from blade.diagnosis.idle_passes import idle_tasks
from blade.document import Block, Bullets, Paragraph, Sentence, say
from blade.questions import SURE, by_task, close_pairs, in_order, pass_rate, task_list
from blade.stats.rounding import WRITTEN, significant
from blade.stats.strata import exact_p
from blade.wording import count, fact, percent

TITLE = "By the change a task expects"
ORDER = 31
FEWEST_TASKS = 5
FEWEST_OF_ONE = 2
FEWEST_APART = 4
MOST = 4
ELSEWHERE = 0.5
"""On the other tasks the runs may differ by so much of that at most, in any direction."""

Tasks = Mapping[str, Sequence[Case]]


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Pairs of runs with the expected tool whose tasks hold their difference; of one run its passes by tool."""
    idle = idle_tasks(runs)
    tasks = _expecting(runs, idle)
    if len(runs) == 1:
        return _of_one(runs[0], tasks)
    tried, entries = 0, []
    for pair in close_pairs(runs):
        rows = _keyed(pair[0]), _keyed(pair[1])
        common = (rows[0].keys() & rows[1].keys()) - idle.keys()
        parts = []
        for tool, keys in tasks.items():
            here = keys & common
            if FEWEST_TASKS <= len(here) <= len(common) - FEWEST_TASKS:
                parts.append(_part(pair, tool, rows, here, common - here))
        tried += len(parts)
        apart = [part for part in parts if _holds_the_difference(part)]
        if apart:
            entries.append(max(apart, key=lambda part: (abs(_gap(part["with"])), part["tool"])))
    if not entries:
        return None
    for part in entries:
        part["p"] = significant(min(1.0, part["p"] * tried), WRITTEN)
    return {"pairs": entries[:MOST]}


def _of_one(run: RunCases, tasks: Mapping[str, set[str]]) -> dict[str, Any] | None:
    rows = _keyed(run)
    tools: list[dict[str, Any]] = [
        {"tool": tool, "tasks": len(keys), "passes": _passes(rows, keys)}
        for tool, keys in tasks.items()
        if len(keys) >= FEWEST_OF_ONE
    ]
    tools.sort(key=lambda entry: (entry["passes"][0] / entry["passes"][1], entry["tool"]))
    return {"pairs": [], "run": run.run.name, "tools": tools} if len(tools) > 1 else None


def _keyed(run: RunCases) -> Tasks:
    return by_task(run.observing("expected"))


def _expecting(runs: Sequence[RunCases], idle: Collection[str]) -> dict[str, set[str]]:
    """Tool → the tasks that expect a change by it, without changes that are refused and tasks that pass without."""
    refused = refused_changes(runs)
    entries: dict[str, set[str]] = {}
    for case in (case for run in runs for case in run.observing("expected")):
        for tool, digest in case.observed["expected"]:
            if digest not in refused and case.key not in idle:
                entries.setdefault(tool, set()).add(case.key)
    return entries


def _part(
    pair: tuple[RunCases, RunCases], tool: str, rows: tuple[Tasks, Tasks], here: Collection[str], rest: Collection[str]
) -> dict[str, Any]:
    labels = {key: rows[0][key][0].label for key in here}
    rates = {key: [pass_rate(side[key]) for side in rows] for key in here}
    p = exact_p([(*_outcomes(rows[0][key]), *_outcomes(rows[1][key])) for key in here])
    return {
        "runs": [run.run.name for run in pair],
        "tool": tool,
        "tasks": len(here),
        "with": [_passes(side, here) for side in rows],
        "without": [_passes(side, rest) for side in rows],
        "first": in_order(labels[key] for key, (one, other) in rates.items() if one > other),
        "other": in_order(labels[key] for key, (one, other) in rates.items() if one < other),
        "p": 1.0 if p is None else p,
    }


def _outcomes(cases: Sequence[Case]) -> tuple[int, int]:
    passes = sum(bool(case.passed) for case in cases)
    return passes, len(cases) - passes


def _passes(side: Tasks, keys: Collection[str]) -> list[int]:
    """Passes and judged rollouts of some tasks."""
    cases = [case for key in keys for case in side[key]]
    return [sum(bool(case.passed) for case in cases), len(cases)]


def _gap(counts: Sequence[Sequence[int]]) -> float:
    (passes, rollouts), (other_passes, other_rollouts) = counts
    return passes / rollouts * min(rollouts, other_rollouts) - other_passes / other_rollouts * min(
        rollouts, other_rollouts
    )


def _holds_the_difference(part: Mapping[str, Any]) -> bool:
    here, rest = _gap(part["with"]), _gap(part["without"])
    return abs(here) >= FEWEST_APART and abs(rest) <= ELSEWHERE * abs(here)


def tell(answer: Mapping[str, Any]) -> list[Block]:
    if answer.get("tools"):
        return [Paragraph((_by_tool(answer),))]
    return [Bullets(tuple(Paragraph(tuple(_sentences(place, part))) for place, part in enumerate(answer["pairs"])))]


def _by_tool(answer: Mapping[str, Any]) -> Sentence:
    """The passes of one run by the tools of the expected changes."""
    facts, parts = {}, []
    for place, entry in enumerate(answer["tools"]):
        passes, rollouts = entry["passes"]
        path = ("investigation", "expected_tools", "tools", place, "passes", 0)
        facts[f"cell{place}"] = fact(f"{passes:,} of {rollouts:,} ({percent(passes / rollouts)})", passes, *path)
        parts.append(f"{entry['tool']} {{cell{place}}}")
    return say(f"Passes of {{run}} by expected change, of which a task may have several: {'; '.join(parts)}.",
               run=answer["run"], **facts)  # fmt: skip


def _sentences(place: int, part: Mapping[str, Any]) -> Iterator[Sentence]:
    at = ("investigation", "expected_tools", "pairs", place)
    sides = [(one, side) for one in ("with", "without") for side in range(2)]
    cells = {
        f"{one}_{side}": fact(
            f"{part[one][side][0]:,} of {part[one][side][1]:,}", part[one][side][0], *at, one, side, 0
        )
        for one, side in sides
    }
    yield say(
        "The difference between {first} and {other} sits in the {tasks} that expect a change by {tool}: {with_0} "
        "against {with_1} pass there, {without_0} against {without_1} elsewhere. "
        + ("That is beyond chance" if part["p"] <= SURE else "That may be chance")
        + " (exact test p = {p}, corrected).",
        first=part["runs"][0],
        other=part["runs"][1],
        tasks=fact(count(part["tasks"], "task"), part["tasks"], *at, "tasks"),
        tool=part["tool"],
        p=fact(f"{part['p']:.2g}", part["p"], *at, "p"),
        **cells,
    )
    better = [
        f"{run} passes more often in {task_list(part[side])}"
        for run, side in zip(part["runs"], ("first", "other"), strict=True)
        if part[side]
    ]
    yield say("Of these tasks {better}.", better="; ".join(better))
