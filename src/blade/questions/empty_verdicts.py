"""Which rollouts have a score and no evaluation: the field in which the others record it is empty?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.counting.audit import cut_rows
from blade.diagnosis.cases import Case, RunCases
from blade.document import Block, Paragraph, Sentence, say
from blade.evidence import open_rows
from blade.extract.empty_verdicts import verdict_object
from blade.model import Source, Status
from blade.questions import in_order, judged, task_list
from blade.wording import count, listed

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
    facts = run.run.facts
    reached = [at for at, counted in zip(cut_rows(facts, run.run.columns), facts["counted"], strict=True) if counted]
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


def _tasks(entry: Mapping[str, Any]) -> str:
    return task_list(entry["tasks"], MOST_TASKS)
