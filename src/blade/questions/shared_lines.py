"""Which changed line do the patches that pass a task share, and those that fail it lack?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Block, Bullets, Paragraph, Sentence, say
from blade.questions import SURE, by_task, in_order, judged, patch_field
from blade.stats.multiple import benjamini_hochberg
from blade.stats.rounding import WRITTEN, significant
from blade.stats.strata import exact_p
from blade.wording import abridged, amount, count, fact

TITLE = "The line that passing patches share"
ORDER = 76
WEIGHT = 1.3
FEWEST_PASSES = 2
MOST_TOLD = 3
MOST_NAMED = 8
SHORTEST = 10
"""A line of fewer letters (a bracket, a return) is in many patches."""


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Tasks whose passing patches all change one line that no failing patch changes; p where it is beyond chance."""
    cases = [case for run in runs for case in judged(run)]
    field = patch_field(cases)
    if field is None:
        return None
    compared, tasks = 0, []
    for own in by_task(cases).values():
        patched = [case for case in own if _lines(case, field)]
        passes = [case for case in patched if case.passed]
        failures = [case for case in patched if not case.passed]
        if len(passes) < FEWEST_PASSES or not failures:
            continue
        compared += 1
        if entry := _shared_line(passes, failures, field):
            tasks.append(entry)
    if not tasks:
        return None
    for entry, p in zip(tasks, benjamini_hochberg([entry["p"] for entry in tasks]), strict=True):
        entry["p"] = significant(p, WRITTEN)
    tasks.sort(key=lambda entry: (entry["p"], -entry["failures"], -entry["passes"], entry["task"]))
    return {"field": field, "compared": compared, "tasks": tasks}


def _lines(case: Case, field: str) -> list[str]:
    lines: list[str] = case.observed.get("patch_lines", {}).get(field, [])
    return lines


def _shared_line(passes: Sequence[Case], failures: Sequence[Case], field: str) -> dict[str, Any] | None:
    """The longest added line that every pass has and no failure, else the longest such line that is taken out.

    Its p counts every set of the patches that some line picks out, for any of them might have matched.
    """
    holders: defaultdict[str, set[int]] = defaultdict(set)
    for case in (*passes, *failures):
        for line in _lines(case, field):
            holders[line].add(id(case))
    wanted = {id(case) for case in passes}
    shared = [line for line, having in holders.items() if having == wanted and len(line) >= SHORTEST]
    if not shared:
        return None
    p = exact_p([(len(passes), 0, 0, len(failures))])
    tried = len({frozenset(having) for having in holders.values()})
    return {
        "task": passes[0].label,
        "line": min(shared, key=lambda line: (line[0] != "+", -len(line), line)),
        "passes": len(passes),
        "failures": len(failures),
        "runs": in_order(case.run for case in passes),
        "p": 1.0 if p is None else min(1.0, p * tried),
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    tasks = answer["tasks"]
    sure = [place for place, entry in enumerate(tasks) if entry["p"] <= SURE][:MOST_TOLD]
    items = [Paragraph((_task(tasks[place], place),)) for place in sure]
    others = [entry["task"] for place, entry in enumerate(tasks) if place not in sure]
    if others:
        items.append(Paragraph((_others(answer, others),)))
    return [Bullets(tuple(items))]


def _task(entry: Mapping[str, Any], place: int) -> Sentence:
    at = ("investigation", "shared_lines", "tasks", place)
    return say(
        "Task {task}: all {passes} that pass {do} “{line}”, and none of {failures} that fail with code (p = {p}, "
        "corrected): that line tells them apart.",
        task=entry["task"],
        passes=fact(count(entry["passes"], "patch", "patches"), entry["passes"], *at, "passes"),
        do="add" if entry["line"][0] == "+" else "take out",
        line=entry["line"][2:],
        failures=amount(entry["failures"], *at, "failures"),
        p=fact(f"{entry['p']:.2g}", entry["p"], *at, "p"),
    )


def _others(answer: Mapping[str, Any], others: Sequence[str]) -> Sentence:
    at = ("investigation", "shared_lines")
    return say(
        "In {many} of {compared} with two passing patches and a failing one, all passing patches share a changed line "
        "that no failing one has ({tasks}): a few patches prove nothing, but that line is where to look first.",
        many=f"{len(others):,}",
        compared=fact(count(answer["compared"], "task"), answer["compared"], *at, "compared"),
        tasks=abridged(in_order(others), MOST_NAMED),
    )


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """The surest task, where all runs have few: among many tasks one line says little about the score."""
    if answer["compared"] <= MOST_TOLD and answer["tasks"][0]["p"] <= SURE:
        yield _task(answer["tasks"][0], 0)
