"""The parts of the change that weighs most, each with its tasks and the rows that show it."""

from __future__ import annotations

from dataclasses import dataclass

from blade.change_words import cause_words, main_change, points_span
from blade.model import Analysis, Part
from blade.quoted_evidence import Exhibit
from blade.renderers.html.links import Links, distinct
from blade.wording import difference

STATUSES = {
    "identified": "identified",
    "assumed": "under an assumption",
    "bounds": "bounds only",
    "not_identified": "not identified",
}
MOST_TASKS = 200
MOST_SHOWN = 3


@dataclass(frozen=True, slots=True)
class LedgerLine:
    """One part as the ledger shows it. `width` and `way` are for its small bar."""

    anchor: str
    words: str
    points: str
    interval: str
    sure: str
    named: bool
    rollouts: int
    tasks: tuple[tuple[str, str], ...]
    """Each task and where it leads."""
    more_tasks: int
    message: str
    shown: tuple[Exhibit, ...]
    way: str


def ledger(analysis: Analysis, links: Links) -> list[LedgerLine]:
    """Every part that has points or a name; none where nothing is compared."""
    found = main_change(analysis)
    if found is None:
        return []
    scale = analysis.runs[0].scale
    return [
        _line(place, part, scale, links)
        for place, part in enumerate(found[1].parts)
        if part.named or abs(part.points) > 1e-12
    ]


def _line(place: int, part: Part, scale: str, links: Links) -> LedgerLine:
    return LedgerLine(
        f"part-{place}",
        cause_words(part),
        difference(part.points, scale),
        points_span(part.interval, scale) if part.interval else "",
        STATUSES[part.status],
        part.named,
        part.rollouts,
        tuple((task, links.task(task)) for task in part.tasks[:MOST_TASKS]),
        max(0, len(part.tasks) - MOST_TASKS),
        str(part.where.get("message", "")),
        _exhibits_of(part, links),
        "up" if part.points >= 0 else "down",
    )


def _exhibits_of(part: Part, links: Links) -> tuple[Exhibit, ...]:
    """Its own rows where they quote words, else the places that show its failure mode, else its rows as they are."""
    exhibits = [exhibit for entry in part.evidence if (exhibit := links.exhibits.of(entry)) is not None]
    selection = (
        distinct(exhibit for exhibit in exhibits if exhibit.quote.strip())
        or links.of_mode(str(part.where.get("mode", "")))
        or exhibits
    )
    return tuple(selection[:MOST_SHOWN])
