"""Do the rows belong to the tasks that they name?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import RunCases
from blade.document import Advice, Block, Bullets, Paragraph, Sentence, say
from blade.health import Item, item
from blade.wording import amount, count, fact

TITLE = "Rows that name another task"
ORDER = 5
OF_COPIES = True
WEIGHT = 2.0
CERTAIN = 0.9


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Runs of which rows were checked as another task than the one whose id they bear."""
    counts = []
    for run in runs:
        rows = run.mixed_up_rows
        if rows:
            counts.append({"run": run.run.name, "rows": rows, "of": len(run.cases)})
    return {"runs": counts} if counts else None


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Bullets(tuple(Paragraph((sentence,)) for sentence in brief(answer)))]


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    for place, entry in enumerate(answer["runs"]):
        at = ("investigation", "mistaken_ids", "runs", place)
        yield say(
            "The task ids of {run} are mixed up: {rows} of {of} were checked as another task than the one they name. "
            "The score stands, but nothing can be said by task, nor held against another run task by task, before the "
            "ids are repaired.",
            run=entry["run"],
            rows=amount(entry["rows"], *at, "rows"),
            of=fact(count(entry["of"], "rollout"), entry["of"], *at, "of"),
        )


def health(answer: Mapping[str, Any]) -> Iterator[Item]:
    for entry, sentence in zip(answer["runs"], brief(answer), strict=True):
        yield item("contradictory_fields", "high", sentence.text, run=entry["run"])


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """Repair the ids before anything is said by task."""
    for place, entry in enumerate(answer["runs"]):
        yield Advice(
            "data",
            f"Repair the task ids of {entry['run']} before its tasks are read or compared",
            say(
                "{rows} were checked as another task than the one that they name.",
                rows=fact(
                    count(entry["rows"], "row"), entry["rows"], "investigation", "mistaken_ids", "runs", place, "rows"
                ),
            ),
            entry["rows"],
            CERTAIN,
            before_scores=True,
        )
