"""The parts of every change, that which weighs most first; each with its tasks and the rows that show it."""

from __future__ import annotations

from collections.abc import Iterator

from blade.frozen import frozen
from blade.model import Analysis, Change, Part
from blade.quoted_evidence import Exhibit
from blade.renderers.html.links import Links, distinct
from blade.summary.change_words import BY_COUNTING, VERDICTS, cause_words, main_change, points_span, verdict_words
from blade.wording import difference

STATUSES = {
    "identified": "identified",
    "assumed": "under an assumption",
    "bounds": "bounds only",
    "not_identified": "not identified",
}
MOST_TASKS = 200
MOST_SHOWN = 3


@frozen
class LedgerLine:
    """One part as the ledger shows it. `named` says why it is not pale: significant, or exact by counting."""

    anchor: str
    words: str
    points: str
    interval: str
    sure: str
    named: str
    rollouts: int
    tasks: tuple[tuple[str, str], ...]
    """Each task and where it leads."""
    more_tasks: int
    message: str
    shown: tuple[Exhibit, ...]
    way: str


@frozen
class ComparisonLedger:
    """One comparison and its parts."""

    base: str
    candidate: str
    headline: str
    lines: tuple[LedgerLine, ...]


def ledgers(analysis: Analysis, links: Links) -> list[ComparisonLedger]:
    """Every comparison with parts that have points or a name, in the order of the runs after the main one."""
    main = main_change(analysis)
    if main is None:
        return []
    ordered = [main, *((place, change) for place, change in enumerate(analysis.changes) if place != main[0])]
    scale = analysis.runs[0].scale
    found = [
        ComparisonLedger(
            change.base, change.candidate, _headline(change, scale), tuple(_lines(place, change, main, links, scale))
        )
        for place, change in ordered
        if change.verdict != "not_comparable"
    ]
    return [ledger for ledger in found if ledger.lines]


def _headline(change: Change, scale: str) -> str:
    return f"{difference(change.delta, scale)}, {verdict_words(change, VERDICTS)}"


def _lines(place: int, change: Change, main: tuple[int, Change], links: Links, scale: str) -> Iterator[LedgerLine]:
    """The anchors of the main change are those that the waterfall leads to."""
    prefix = "part" if place == main[0] else f"part-{place}"
    for number, part in enumerate(change.parts):
        if part.named or abs(part.points) > 1e-12:
            yield _line(f"{prefix}-{number}", part, scale, links)


def _line(anchor: str, part: Part, scale: str, links: Links) -> LedgerLine:
    return LedgerLine(
        anchor,
        cause_words(part),
        difference(part.points, scale),
        points_span(part.interval, scale) if part.interval else "",
        STATUSES[part.status],
        "" if not part.named else "by counting" if part.cause in BY_COUNTING else "significant",
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
