"""Which tasks does no run pass though every one of their checks is met by some rollout?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Block, Bullets, Paragraph, Sentence, say
from blade.questions import SURE, by_task, cause, judged, task_list
from blade.wording import amount, count, fact, short_name

TITLE = "Checks that are never met together"
ORDER = 37
WEIGHT = 1.4
FEWEST = 5
"""So many rollouts of a task with the same checks, at least."""
MOST_CHECKS = 40
MOST_SHOWN = 5


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Tasks without a pass whose checks are each met by some rollout, with two that none meets together."""
    tasks = by_task([case for run in runs for case in judged(run)])
    entries = [entry for cases in tasks.values() if (entry := _entry(cases)) is not None]
    entries.sort(key=lambda entry: (-min(entry["first_met"], entry["second_met"]), entry["task"]))
    if not entries:
        return None
    causes = [cause("TI", *reason) for entry in entries if (reason := _cause(entry, entry.pop("cases")))]
    return {"tasks": [entry["task"] for entry in entries], "shown": entries[:MOST_SHOWN], "causes": causes}


def _cause(entry: Mapping[str, Any], cases: Sequence[Case]) -> tuple[str, Sequence[Case]] | None:
    """The two checks, where chance hardly keeps them apart: the hypergeometric probability, times the pairs."""
    rollouts, met = entry["rollouts"], (entry["first_met"], entry["second_met"])
    apart = math.comb(rollouts - met[0], met[1]) / math.comb(rollouts, met[1])
    if apart * math.comb(entry["checks"], 2) > SURE or any(len(case.actions) for case in cases):
        return None
    return f"no rollout meets “{entry['first']}” and “{entry['second']}” together, and many meet either", cases


def _entry(cases: Sequence[Case]) -> dict[str, Any] | None:
    checked = [case.checks for case in cases if len(case.checks) > 1]
    if any(case.passed for case in cases) or len(checked) < FEWEST:
        return None
    names = sorted(set.intersection(*(set(checks) for checks in checked)))
    passing = {name: {place for place, checks in enumerate(checked) if checks[name]} for name in names}
    if not 1 < len(names) <= MOST_CHECKS or not all(passing.values()):
        return None
    if any(set(checks) != set(names) for checks in checked):
        return None  # a check that only some rollouts were judged by may be what nobody meets
    apart = [pair for pair in combinations(names, 2) if not passing[pair[0]] & passing[pair[1]]]
    if not apart:
        return None
    first, second = max(apart, key=lambda pair: min(len(passing[name]) for name in pair))
    return {
        "task": cases[0].label,
        "cases": cases,
        "rollouts": len(checked),
        "checks": len(names),
        "first": first,
        "first_met": len(passing[first]),
        "second": second,
        "second_met": len(passing[second]),
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [
        Paragraph(tuple(_sentences(answer))),
        Bullets(tuple(Paragraph((_words(place, entry),)) for place, entry in enumerate(answer["shown"]))),
    ]


def _sentences(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    tasks = answer["tasks"]
    yield say(
        "{tasks} that no run passes {have} checks of which each is met by some rollout, but two never by the same: "
        "they may ask for opposite things, work may be done by halves, or chance keeps them apart.",
        tasks=fact(count(len(tasks), "task"), tasks, "investigation", "never_together", "tasks"),
        have="has" if len(tasks) == 1 else "have",
    )
    if others := tasks[len(answer["shown"]) :]:
        yield say("Besides those below: {tasks}.", tasks=task_list(others))


def _words(place: int, entry: Mapping[str, Any]) -> Sentence:
    at = ("investigation", "never_together", "shown", place)
    return say(
        "{task}: of {rollouts} {first_met} meet “{first}” and {second_met} “{second}”, none both.",
        task=entry["task"],
        rollouts=fact(count(entry["rollouts"], "rollout"), entry["rollouts"], *at, "rollouts"),
        first_met=amount(entry["first_met"], *at, "first_met"),
        first=short_name(entry["first"]),
        second_met=amount(entry["second_met"], *at, "second_met"),
        second=short_name(entry["second"]),
    )
