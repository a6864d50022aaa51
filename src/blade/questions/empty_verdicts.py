"""Which rollouts have a score and no evaluation: the field in which the others record it is empty?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Block, Paragraph, Sentence, say
from blade.evidence import open_rows
from blade.extract.empty_verdicts import verdict_object
from blade.health import Item, item
from blade.model import Source, Status
from blade.questions import in_order, judged, task_list
from blade.wording import count, listed, percent

TITLE = "Scores without an evaluation"
ORDER = 76
WEIGHT = 0.9
RARE = 0.2
"""Of a run's rollouts: an object that more of them leave empty is seldom filled at all."""
OPENED = 5
MOST_TASKS = 6
CUT = {Status.TIMED_OUT.value, Status.TRUNCATED.value}


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Per run the failures whose verdict is empty where that of other rollouts is filled."""
    entries = [entry for run in runs for entry in _of_run(run)]
    return {"runs": entries} if entries else None


def _of_run(run: RunCases) -> Iterator[dict[str, Any]]:
    cases = judged(run)
    reached = [at for at, counted in zip(run.run.cut_rows(), run.run.facts["counted"], strict=True) if counted]
    at_limit = {id(case) for case, at in zip(run.cases, reached, strict=True) if at or case.state in CUT}
    empty: defaultdict[str, list[Case]] = defaultdict(list)
    for case in cases:
        for name in case.observed.get("empty_verdicts", ()):
            empty[name].append(case)
    for name, rows in empty.items():
        others = [case for case in cases if name not in case.observed.get("empty_verdicts", ())]
        if len(rows) <= RARE * len(cases) and _filled(name, others):
            yield {
                "run": run.run.name,
                "field": name,
                "rollouts": len(rows),
                "judged": len(cases),
                "passes": sum(bool(case.passed) for case in cases),
                "tasks": in_order({case.label for case in rows}),
                "cut": sum(id(case) in at_limit for case in rows),
            }


def _filled(name: str, others: Sequence[Case]) -> bool:
    """Whether some other rows, looked at one by one, all hold something there."""
    step = max(len(others) // OPENED, 1)
    rows = [row for _, row in open_rows(Source(*case.place) for case in others[::step][:OPENED])]
    return bool(rows) and all(verdict_object(row, name) for row in rows)


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Paragraph(tuple(_words(answer)))]


def _words(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    entries = answer["runs"]
    fields = dict.fromkeys(entry["field"] for entry in entries)
    rollouts, cut = (sum(entry[name] for entry in entries) for name in ("rollouts", "cut"))
    parts = [f"{entry['run']} {entry['rollouts']:,} of {entry['judged']:,}: {_tasks(entry)}" for entry in entries]
    yield say(
        "{failures} {have} an empty {fields}, which other rollouts fill: nothing shows that {they} evaluated ({runs}).",
        failures=count(rollouts, "failure"),
        have="has" if rollouts == 1 else "have",
        fields=listed(list(fields)),
        they="it was" if rollouts == 1 else "they were",
        runs="; ".join(parts),
    )
    if cut:
        subject = "It" if rollouts == 1 else "All of them" if cut == rollouts else f"{cut:,} of them"
        yield say("{subject} {stop} at a limit.", subject=subject, stop="stops" if cut == 1 else "stop")
    yield say("Without {them} {left}.", them="it" if rollouts == 1 else "them", left=_without(entries))


def _without(entries: Sequence[Mapping[str, Any]]) -> str:
    """What each run passes of the others."""
    parts = []
    for entry in entries:
        others = entry["judged"] - entry["rollouts"]
        parts.append(f"{entry['run']} passes {entry['passes']:,} of {others:,} ({percent(entry['passes'] / others)})")
    return listed(parts)


def health(answer: Mapping[str, Any]) -> Iterator[Item]:
    """Rollouts that were never evaluated, though they have a score."""
    for entry in answer["runs"]:
        failures = count(entry["rollouts"], "failure")
        have = "has" if entry["rollouts"] == 1 else "have"
        words = f"{failures} of {entry['run']} {have} an empty {entry['field']}, which others fill."
        yield item("void_attempts", "medium", words, tasks=entry["tasks"], run=entry["run"])


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """How many scores stand for no evaluation, and the scores without them."""
    rollouts = sum(entry["rollouts"] for entry in answer["runs"])
    yield say(
        "{scores} with no evaluation in the rows (an empty {field}); without {them} {left}.",
        scores=count(rollouts, "failure stands", "failures stand"),
        field=answer["runs"][0]["field"],
        them="it" if rollouts == 1 else "them",
        left=_without(answer["runs"]),
    )


def _tasks(entry: Mapping[str, Any]) -> str:
    return task_list(entry["tasks"], MOST_TASKS)
