"""A passing and a failing attempt of one task, row beside row; the same call stands in the same row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Any

from blade.model import Source
from blade.trajectory import Part, parts

LONGEST = 2_400
"""Characters of one item that are shown; the rest is counted."""
MOST_ITEMS = 120
"""Items of one side that are shown."""
ALIKE_KEPT = 1
"""Rows that are alike and still shown before the first that is not."""


SMALL = 500
"""Characters that are read at a glance."""


@dataclass(frozen=True, slots=True)
class Side:
    """One item of one attempt as it is shown: `more` characters are left out, `marked` is where the two part."""

    part: Part
    anchor: str
    more: int = 0
    marked: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    good: Side | None
    bad: Side | None
    alike: bool

    @property
    def marked(self) -> bool:
        """Whether the two part here."""
        return any(side is not None and side.marked for side in (self.good, self.bad))

    @property
    def small(self) -> bool:
        """Whether both sides can be read at a glance."""
        return all(side is None or len(side.part.text) < SMALL for side in (self.good, self.bad))


@dataclass(frozen=True, slots=True)
class Pair:
    """The twin of a task, ready to be read. `prompt` is the same for both."""

    id: str
    run: str
    task: str
    good: int
    bad: int
    passes: int
    attempts: int
    statement: str
    lucky: str
    prompt: tuple[Side, ...]
    alike: tuple[Row, ...]
    """Rows from the start in which both do the same: folded."""
    rows: tuple[Row, ...]
    verdict: Row
    """What stands beside the transcripts: the verifier's word on each."""
    left_out: int
    sources: tuple[Source, Source]

    @property
    def parting(self) -> str:
        """The anchor of the item where the two part; empty where none is marked."""
        sides = (side for row in self.rows for side in (row.bad, row.good) if side and side.marked)
        return next((side.anchor for side in sides), "")

    @property
    def size(self) -> int:
        sides = [side for row in (*self.alike, *self.rows, self.verdict) for side in (row.good, row.bad) if side]
        return sum(len(side.part.text) + 200 for side in (*self.prompt, *sides))


def sources(twin: Mapping[str, Any]) -> tuple[Source, Source]:
    """Where the rows of the passing and the failing attempt stand."""
    good, bad = (Source(**place) for place in twin["sources"])
    return good, bad


def cut(row: dict[str, Any]) -> list[Side]:
    """The items of a row, each cut to what is shown."""
    made = []
    for part in parts(row):
        more = max(0, len(part.text) - LONGEST)
        made.append(Side(replace(part, text=part.text[:LONGEST]) if more else part, "", more))
    return made


def pair_of(number: int, twin: Mapping[str, Any], good: Sequence[Side], bad: Sequence[Side]) -> Pair:
    """Both attempts, cut into items, set beside each other."""
    name = f"twin-{number}"
    left, right = ([side for side in sides if side.part.kind not in {"prompt", "row"}] for sides in (good, bad))
    lost = max(0, len(left) - MOST_ITEMS) + max(0, len(right) - MOST_ITEMS)
    rows = _rows(name, (left[:MOST_ITEMS], right[:MOST_ITEMS]), (twin["item_pass"], twin["item_fail"]))
    alike = next((place for place, row in enumerate(rows) if not row.alike or row.marked), len(rows))
    alike = max(0, alike - ALIKE_KEPT)
    one, other = (next((side for side in sides if side.part.kind == "row"), None) for sides in (good, bad))
    return Pair(
        name,
        twin["run"],
        twin["task"],
        twin["pass"],
        twin["fail"],
        twin["passes"],
        twin["attempts"],
        twin["statement"],
        twin["lucky_because"] or "",
        tuple(_placed(side, f"{name}-q") for side in good if side.part.kind == "prompt"),
        tuple(rows[:alike]),
        tuple(rows[alike:]),
        _row(name, one, other, (None, None)),
        lost,
        sources(twin),
    )


def _rows(name: str, sides: tuple[Sequence[Side], Sequence[Side]], parting: tuple[int | None, int | None]) -> list[Row]:
    """Calls that both make stand in the same row; whatever lies between two of those fills up in order."""
    left, right = sides
    made: list[Row] = []
    at = (0, 0)
    for one, other in [*_shared_calls(left, right), (len(left), len(right))]:
        for good, bad in zip_longest(left[at[0] : one], right[at[1] : other]):
            made.append(_row(name, good, bad, parting))
        if one < len(left):
            made.append(_row(name, left[one], right[other], parting))
        at = (one + 1, other + 1)
    return made


def _shared_calls(left: Sequence[Side], right: Sequence[Side]) -> list[tuple[int, int]]:
    """Places of the calls that are the same on both sides, in order."""
    ours, theirs = ([place for place, side in enumerate(each) if side.part.kind == "call"] for each in (left, right))
    keys = [
        [(each[at].part.title, each[at].part.text) for at in places] for each, places in ((left, ours), (right, theirs))
    ]
    blocks = SequenceMatcher(None, keys[0], keys[1], autojunk=False).get_matching_blocks()
    return [(ours[block.a + step], theirs[block.b + step]) for block in blocks for step in range(block.size)]


def _row(name: str, one: Side | None, other: Side | None, parting: tuple[int | None, int | None]) -> Row:
    good = _placed(one, f"{name}-p", parting[0]) if one else None
    bad = _placed(other, f"{name}-f", parting[1]) if other else None
    alike = one is not None and other is not None and one.part == replace(other.part, item=one.part.item)
    return Row(good, bad, alike)


def _placed(side: Side, prefix: str, parting: int | None = None) -> Side:
    """The item with its anchor, and marked where the two attempts part."""
    item = side.part.item
    anchor = f"{prefix}{'row' if item is None else item}-{side.part.kind}{side.part.start or ''}"
    return replace(side, anchor=anchor, marked=parting is not None and item == parting)
