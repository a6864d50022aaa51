"""Which single failures took a small part of the time of every pass of their run at the same task?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Block, Bullets, Paragraph, Sentence, say
from blade.questions import by_task, judged, task_list
from blade.wording import amount, count, fact

TITLE = "Failures far shorter than the passes beside them"
ORDER = 69
WEIGHT = 0.05
FEWEST_PASSES = 2
SMALL = 0.2
"""So much of the shortest pass of the same run at the same task."""
LEAST = 20.0
"""Seconds that the shortest pass must take, at least: below, a start or a wait decides."""
AT_A_LIMIT = 1.0
"""Passes that end within so many seconds of one another end at a limit, which says nothing of the work."""
MOST_SHOWN = 5
MOSTLY = 0.5
"""Where more of the failures at such tasks are so short, stopping early is how the run fails (`early_stops`)."""


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Failures with their seconds and those of the passes of the same run at the task."""
    entries = [entry for run in runs for entry in _entries(run)]
    entries.sort(key=lambda entry: (entry["seconds"] / entry["shortest"], entry["run"], entry["task"]))
    return {"rollouts": len(entries), "shown": entries[:MOST_SHOWN], "tasks": _tasks(entries)} if entries else None


def _tasks(entries: Sequence[Mapping[str, Any]]) -> list[str]:
    return sorted({entry["task"] for entry in entries[MOST_SHOWN:]})


def _entries(run: RunCases) -> list[dict[str, Any]]:
    valid = {id(case) for case in judged(run)}
    seconds = {
        id(case): seconds for case, seconds in zip(run.cases, run.agent_seconds(), strict=True) if id(case) in valid
    }
    short, failures = list[dict[str, Any]](), 0
    for cases in by_task([case for case in run.cases if seconds.get(id(case))]).values():
        passes = [seconds[id(case)] for case in cases if case.passed]
        if len(passes) >= FEWEST_PASSES and min(passes) >= LEAST and max(passes) - min(passes) > AT_A_LIMIT:
            failed = [case for case in cases if not case.passed]
            failures += len(failed)
            short += [
                _entry(case, seconds[id(case)], passes) for case in failed if seconds[id(case)] < SMALL * min(passes)
            ]
    return short if len(short) <= MOSTLY * failures else []


def _entry(case: Case, seconds: float, passes: Sequence[float]) -> dict[str, Any]:
    return {
        "run": case.run,
        "task": case.label,
        "attempt": case.attempt,
        "seconds": round(seconds),
        "passes": len(passes),
        "shortest": round(min(passes)),
        "longest": round(max(passes)),
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [
        Paragraph(tuple(_sentences(answer))),
        Bullets(tuple(Paragraph((_words(place, entry),)) for place, entry in enumerate(answer["shown"]))),
    ]


def _sentences(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    yield say(
        "{rollouts} took less than a fifth of the time of every pass of the same run at the same task, and may have "
        "been broken off: read how {they}.",
        rollouts=fact(
            count(answer["rollouts"], "failure"), answer["rollouts"], "investigation", "broken_off", "rollouts"
        ),
        they="it ends" if answer["rollouts"] == 1 else "they end",
    )
    if answer["tasks"]:
        yield say("The shortest are shown; the others are in {tasks}.", tasks=task_list(answer["tasks"]))


def _words(place: int, entry: Mapping[str, Any]) -> Sentence:
    at = ("investigation", "broken_off", "shown", place)
    return say(
        "{task}, attempt {attempt} of {run}: {seconds} s; its {passes} passes took {shortest} to {longest} s.",
        task=entry["task"],
        attempt=str(entry["attempt"]),
        run=entry["run"],
        seconds=amount(entry["seconds"], *at, "seconds"),
        passes=amount(entry["passes"], *at, "passes"),
        shortest=amount(entry["shortest"], *at, "shortest"),
        longest=amount(entry["longest"], *at, "longest"),
    )
