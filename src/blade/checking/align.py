"""Finds for each piece of a printed report its counterpart in the report made anew.

Sections are matched by their headings. Inside a section equal pieces are matched first, in order; then equal pieces
that were moved; then, in the gaps between, pieces that are much alike. What has no counterpart is somebody's own prose.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from blade.checking.markdown_blocks import Piece
from blade.checking.tokens import plain

ALIKE = {"sentence": 0.6, "quote": 0.6, "row": 0.5, "header": 0.5, "heading": 0.5}
MOST_PAIRS = 40_000
"""Above this many comparisons in one gap, neighbours alone are compared."""

Span = tuple[int, int, int, int]


def align(given: Sequence[Piece], made: Sequence[Piece]) -> dict[int, int]:
    """Place in `given` → place in `made`, for every piece that has a counterpart."""
    found: dict[int, int] = {}
    sections = _by_section(made)
    for title, ours in _by_section(given).items():
        theirs = sections.get(title)
        if theirs is not None:
            found.update(
                _section([(place, given[place]) for place in ours], [(place, made[place]) for place in theirs])
            )
        if theirs is None or not title:
            found.update(_pasted([place for place in ours if place not in found], given, made))
    return found


def _by_section(found: Sequence[Piece]) -> dict[str, list[int]]:
    sections: dict[str, list[int]] = {}
    for place, piece in enumerate(found):
        sections.setdefault(plain(piece.section).lower(), []).append(place)
    return sections


def _pasted(ours: Sequence[int], given: Sequence[Piece], made: Sequence[Piece]) -> Iterator[tuple[int, int]]:
    """Under a heading of somebody's own, or none, what stands word for word in the report is the report's."""
    matcher = SequenceMatcher(None, [_key(given[place]) for place in ours], [_key(piece) for piece in made], False)
    for first, second, size in matcher.get_matching_blocks():
        yield from ((ours[first + step], second + step) for step in range(size))


def _section(given: list[tuple[int, Piece]], made: list[tuple[int, Piece]]) -> dict[int, int]:
    matcher = SequenceMatcher(None, [_key(piece) for _, piece in given], [_key(piece) for _, piece in made], False)
    found: dict[int, int] = {}
    gaps: list[Span] = []
    for tag, first, last, begin, end in matcher.get_opcodes():
        if tag == "equal":
            found.update((given[first + step][0], made[begin + step][0]) for step in range(last - first))
        else:
            gaps.append((first, last, begin, end))
    used = _moved(given, made, gaps, found)
    for first, last, begin, end in gaps:
        ours = [pair for pair in given[first:last] if pair[0] not in found]
        theirs = [pair for pair in made[begin:end] if pair[0] not in used]
        found.update(_gap(ours, theirs))
    return found


def _moved(
    given: list[tuple[int, Piece]], made: list[tuple[int, Piece]], gaps: Sequence[Span], found: dict[int, int]
) -> set[int]:
    """Pairs equal pieces below one heading that changed places; returns the places taken in `made`."""
    waiting: dict[tuple[str, ...], list[int]] = {}
    for _, _, begin, end in gaps:
        for place, piece in made[begin:end]:
            waiting.setdefault((piece.below, *_key(piece)), []).append(place)
    used: set[int] = set()
    for first, last, _, _ in gaps:
        for place, piece in given[first:last]:
            theirs = waiting.get((piece.below, *_key(piece)))
            if theirs:
                found[place] = theirs.pop(0)
                used.add(found[place])
    return used


def _gap(given: list[tuple[int, Piece]], made: list[tuple[int, Piece]]) -> Iterator[tuple[int, int]]:
    """The pairs that are most alike, best first, none of them crossing another."""
    near = len(given) * len(made) > MOST_PAIRS
    scored = [
        (-likeness, first, second)
        for first, (_, ours) in enumerate(given)
        for second, (_, theirs) in enumerate(made)
        if (not near or abs(first - second) < 3) and (likeness := alike(ours, theirs)) >= ALIKE[ours.kind]
    ]
    taken: list[tuple[int, int]] = []
    for _, first, second in sorted(scored):
        if all((first - one) * (second - other) > 0 for one, other in taken):
            taken.append((first, second))
            yield given[first][0], made[second][0]


def alike(one: Piece, other: Piece) -> float:
    """From 0 to 1: how much two pieces of one kind share."""
    if one.kind != other.kind:
        return 0.0
    if one.kind in {"row", "header"}:
        ours, theirs = one.cells, other.cells
        if len(ours) != len(theirs):
            return 0.0
        equal = sum(plain(cell) == plain(beside) for cell, beside in zip(ours, theirs, strict=True))
        first = 0.5 if plain(ours[0]) == plain(theirs[0]) != "" else 0.0
        return max(equal / len(ours), first)
    ours_words, theirs_words = one.text.split(), other.text.split()
    matcher = SequenceMatcher(None, ours_words, theirs_words, False)
    return 0.0 if matcher.quick_ratio() < ALIKE[one.kind] else matcher.ratio()


def _key(piece: Piece) -> tuple[str, str]:
    return piece.kind, plain(piece.text)
