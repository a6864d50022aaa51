"""Which pieces of a report are kept: those of most worth for their words, each section and heading within its share."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from heapq import heapify, heappop, heappush

from blade.registry import plugins
from blade.short_report.pieces import ReportPiece

LIKE_ANOTHER = 0.5
"""What a statement is worth whose like, of another run or task, is told already."""
MOST_ALIKE = 5
UNDER_ONE_HEADING = 0.05
KNOWN = 0.1
"""What a statement is worth that tells nothing new."""
STEEP = 0.5
KIND = {"row": 0.3, "quote": 0.35, "statement": 1.0}
LEAD = 2.0
"""What the first statement under a heading is worth more: it answers what the heading asks."""
LEAD_WORDS, LEAD_FITS = 60, 30
"""A first statement may be so long where its heading may have words at all."""
LATER = 0.02
FEWEST = 40
"""Words that every heading may have, whatever its weight."""
OVERRUN = 1.2
"""How far a heading may go beyond its words for a statement that would not fit."""
SECOND_HELPING = 1.6
"""What headings may have of the words that others left."""

FEWEST_ROWS = 3
STEPS = 6
LEFT_OVER = (80, 240)
"""What any heading may add where words are left at the end, those of sections without a share among them: first
everybody a little, then whole tables, which cost more at once."""
MUCH = 0.05
"""The share from which a section is asked first when words are left."""

Part = tuple[str, int | None]


@dataclass
class KeptPieces:
    """What is kept so far, and what that leaves to tell."""

    tokens: set[str] = field(default_factory=set)
    shapes: Counter[tuple[Part, str]] = field(default_factory=Counter)
    pieces: Counter[Part] = field(default_factory=Counter)
    words: Counter[Part] = field(default_factory=Counter)
    texts: set[str] = field(default_factory=set)

    def score(self, piece: ReportPiece) -> float:
        """The worth of a piece now, for the words that it costs with all that it needs."""
        substance = piece.substance
        alike = self.shapes[piece.part, substance.shape]
        if piece.kind == "statement" and (alike >= MOST_ALIKE or piece.text in self.texts):
            return 0.0
        fresh = len(substance.tokens - self.tokens) / max(len(substance.tokens), 1)
        crowded = 1.0 + UNDER_ONE_HEADING * self.pieces[piece.part]
        worth = substance.worth * KIND[piece.kind] * weight(piece) * early(piece)
        likeness = float(LIKE_ANOTHER**alike)
        return worth * max(fresh, KNOWN) * likeness / crowded / math.pow(max(cost(piece), 6), STEEP)

    def keep(self, piece: ReportPiece) -> None:
        for part in list(piece.closure()):
            part.kept = True
            self.texts |= {part.text, part.text.partition(": ")[2]}
            self.tokens |= part.substance.tokens
            self.words[part.part] += part.words
            if part.kind != "frame":
                self.shapes[part.part, part.substance.shape] += 1
                self.pieces[part.part] += 1


def cost(piece: ReportPiece) -> int:
    """The words of a piece with all that it needs."""
    return sum(part.words for part in piece.closure())


def early(piece: ReportPiece) -> float:
    """Who wrote the section put first what weighs more."""
    return LEAD if piece.lead else 1.0 / (1.0 + LATER * piece.order)


def weight(piece: ReportPiece) -> float:
    """What a section and, in the investigation, a question say of their own weight; 1 where they say nothing."""
    return _section_weight(piece.section) * _questions().get(piece.title, 1.0)


@cache
def _section_weight(section: str) -> float:
    return float(getattr(plugins("sections").get(section), "WEIGHT", 1.0))


@cache
def _questions() -> Mapping[str, float]:
    return {module.TITLE: getattr(module, "WEIGHT", 1.0) for module in plugins("questions").values()}


def share(section: str) -> float:
    return float(getattr(plugins("sections").get(section), "SHARE", 0.03))


def choose(pieces: Mapping[str, Sequence[ReportPiece]], budget: int, linked: Container[str] = ()) -> None:
    """Mark what is kept: first each heading within its share, then the best of all while words are left.

    Each section of `linked` has at least its best statement.
    """
    choice = KeptPieces()
    for piece in pieces.get("executive_summary", ()):
        if piece.heading is None:
            choice.keep(piece)
    pieces = {section: _without_alike(section, own) for section, own in pieces.items()}
    limits: dict[Part, float] = {}
    for section, section_pieces in pieces.items():
        for piece in section_pieces:
            if piece.pinned or _pinned(section, piece):
                choice.keep(piece)
        statements = [piece for piece in section_pieces if piece.kind == "statement"]
        if section in linked and statements and not any(piece.kept for piece in statements):
            choice.keep(max(statements, key=choice.score))
        pinned = sum(piece.words for piece in section_pieces if piece.kept)
        limits |= _limits([piece for piece in section_pieces if not piece.kept], share(section) * budget - pinned)
    for helping in (1.0, SECOND_HELPING):
        _fill(choice, pieces, budget, {part: helping * limit for part, limit in limits.items()})
    torn = _torn_tables(choice, pieces)
    for least, helping in ((MUCH, LEFT_OVER[0]), *((0.0, helping) for helping in LEFT_OVER)):
        room = {part: choice.words[part] + (helping if share(part[0]) >= least else 0) for part in limits}
        _fill(choice, pieces, budget, room, torn)


def _without_alike(section: str, pieces: Sequence[ReportPiece]) -> list[ReportPiece]:
    """The pieces without those under a heading `task: way of failing` whose way enough headings before tell."""
    most = getattr(plugins("sections").get(section), "MOST_ALIKE", None)
    if most is None:
        return list(pieces)
    headings: dict[str, list[int | None]] = {}
    for piece in pieces:
        way = piece.title.partition(": ")[2]
        if way and piece.heading not in headings.setdefault(way, []):
            headings[way].append(piece.heading)
    alike = {heading for places in headings.values() for heading in places[most:]}
    return [piece for piece in pieces if piece.heading not in alike]


def _pinned(section: str, piece: ReportPiece) -> bool:
    """Whether it is one of the first steps under a heading that its section wants to be kept."""
    titles = getattr(plugins("sections").get(section), "PINNED", ())
    return piece.item and piece.title in titles and piece.place[1] < STEPS and piece.place[2] == 0


def _torn_tables(choice: KeptPieces, pieces: Mapping[str, Sequence[ReportPiece]]) -> set[tuple[str, int]]:
    """Tables of which only a row or two of more were kept: these say little without the others, and are given up."""
    rows: Counter[tuple[str, int]] = Counter()
    kept_rows: Counter[tuple[str, int]] = Counter()
    for section, section_pieces in pieces.items():
        for piece in section_pieces:
            if piece.kind == "row":
                rows[section, piece.place[0]] += piece.amount
                kept_rows[section, piece.place[0]] += piece.kept and piece.amount == 1
    torn = {table for table, rows_kept in kept_rows.items() if 0 < rows_kept < min(FEWEST_ROWS, rows[table])}
    for section, section_pieces in pieces.items():
        for piece in section_pieces:
            if (section, piece.place[0]) in torn and piece.kept:
                piece.kept = False
                choice.words[piece.part] -= piece.words
    return torn


def _fill(
    choice: KeptPieces,
    pieces: Mapping[str, Sequence[ReportPiece]],
    budget: int,
    limits: Mapping[Part, float],
    without: Container[tuple[str, int]] = (),
) -> None:
    pending = [
        piece
        for section, section_pieces in pieces.items()
        for piece in section_pieces
        if piece.kind != "frame" and not piece.kept and (section, piece.place[0]) not in without
    ]
    scores = [choice.score(piece) for piece in pending]
    places: dict[Part, list[int]] = {}
    for place, piece in enumerate(pending):
        places.setdefault(piece.part, []).append(place)
    queue = [(-score, place) for place, score in enumerate(scores)]
    heapify(queue)
    while queue:
        score, place = heappop(queue)
        best = pending[place]
        if best.kept or -score != scores[place]:  # it came with another, or its score is another by now
            continue
        now = choice.score(best)
        if now < scores[place] - 1e-12:
            scores[place] = now
            heappush(queue, (-now, place))
            continue
        scores[place] = math.nan
        lead = LEAD_WORDS if best.lead and limits[best.part] >= LEAD_FITS else 0
        room = min(budget - choice.words.total(), max(OVERRUN * limits[best.part] - choice.words[best.part], lead))
        if now <= 0.0 or cost(best) > room:
            continue
        choice.keep(best)
        for near in places[best.part]:
            if not (pending[near].kept or math.isnan(scores[near])):
                scores[near] = choice.score(pending[near])
                heappush(queue, (-scores[near], near))


def _limits(pieces: Sequence[ReportPiece], budget: float) -> dict[Part, float]:
    """How many words each heading may have: in proportion to what it has, and more where it weighs more."""
    words: Counter[Part] = Counter()
    weights: dict[Part, float] = {}
    for piece in pieces:
        words[piece.part] += piece.words if piece.kind != "row" else piece.words // 3
        if piece.kind != "frame":
            weights[piece.part] = weight(piece)
    low, high = 0.0, 1.0
    for _ in range(20):
        middle = (low + high) / 2
        limits = {part: _limit(words[part], middle * weights.get(part, 1.0)) for part in words}
        low, high = (middle, high) if sum(limits.values()) <= budget else (low, middle)
    limits = {part: _limit(words[part], low * weights.get(part, 1.0)) for part in words}
    scale = min(1.0, max(budget, 0.0) / max(sum(limits.values()), 1.0))
    return {part: limit * scale for part, limit in limits.items()}


def _limit(words: int, part: float) -> float:
    return float(min(words, max(FEWEST, part * words)))
