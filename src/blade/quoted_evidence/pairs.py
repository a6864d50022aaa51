"""A passing and a failing attempt of one task, row beside row; the same call stands in the same row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Any

from blade.frozen import frozen
from blade.model import Source
from blade.quoted_evidence.expected import ExpectedLine
from blade.trajectory import TranscriptPart, parts

LONGEST = 2_400
"""Characters of one item that are shown; the rest is counted."""
MOST_ITEMS = 120
"""Items of one side that are shown."""
ALIKE_KEPT = 1
"""Rows that are alike and still shown before the first that is not."""


SMALL = 500
"""Characters that are read at a glance."""


@frozen
class Side:
    """One item of one attempt as it is shown: `more` characters are left out, `marked` is where the two part."""

    part: TranscriptPart
    anchor: str
    more: int = 0
    marked: bool = False


@frozen
class TwinRow:
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


@frozen
class TwinPair:
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
    alike: tuple[TwinRow, ...]
    """Rows from the start in which both do the same: folded."""
    rows: tuple[TwinRow, ...]
    verdict: TwinRow
    """What stands beside the transcripts: the verifier's word on each."""
    left_out: int
    sources: tuple[Source, Source]
    expected: tuple[ExpectedLine, ...] = ()
    """What the failing attempt was expected to do, and did; none where the row lists nothing."""

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


def transcript_sides(row: dict[str, Any]) -> list[Side]:
    """The items of a row, each cut to what is shown."""
    sides = []
    for part in parts(row):
        left_out = max(0, len(part.text) - LONGEST)
        sides.append(Side(replace(part, text=part.text[:LONGEST]) if left_out else part, "", left_out))
    return sides


def pair_of(number: int, twin: Mapping[str, Any], good: Sequence[Side], bad: Sequence[Side]) -> TwinPair:
    """Both attempts, cut into items, set beside each other."""
    name = f"twin-{number}"
    left, right = ([side for side in sides if side.part.kind not in {"prompt", "row"}] for sides in (good, bad))
    items_left_out = max(0, len(left) - MOST_ITEMS) + max(0, len(right) - MOST_ITEMS)
    rows = _rows(name, (left[:MOST_ITEMS], right[:MOST_ITEMS]), (twin["item_pass"], twin["item_fail"]))
    alike = next((place for place, row in enumerate(rows) if not row.alike or row.marked), len(rows))
    alike = max(0, alike - ALIKE_KEPT)
    good_row, bad_row = (next((side for side in sides if side.part.kind == "row"), None) for sides in (good, bad))
    return TwinPair(
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
        _row(name, good_row, bad_row, (None, None)),
        items_left_out,
        sources(twin),
    )


def _rows(
    name: str, sides: tuple[Sequence[Side], Sequence[Side]], parting: tuple[int | None, int | None]
) -> list[TwinRow]:
    """Calls that both make stand in the same row; whatever lies between two of those fills up in order."""
    left, right = sides
    rows: list[TwinRow] = []
    at = (0, 0)
    for left_end, right_end in [*_shared_calls(left, right), (len(left), len(right))]:
        for good, bad in zip_longest(left[at[0] : left_end], right[at[1] : right_end]):
            rows.append(_row(name, good, bad, parting))
        if left_end < len(left):
            rows.append(_row(name, left[left_end], right[right_end], parting))
        at = (left_end + 1, right_end + 1)
    return rows


def _shared_calls(left: Sequence[Side], right: Sequence[Side]) -> list[tuple[int, int]]:
    """Places of the calls that are the same on both sides, in order."""
    left_calls, right_calls = (
        [place for place, side in enumerate(sides) if side.part.kind == "call"] for sides in (left, right)
    )
    keys = [
        [(sides[at].part.title, sides[at].part.text) for at in places]
        for sides, places in ((left, left_calls), (right, right_calls))
    ]
    blocks = SequenceMatcher(None, keys[0], keys[1], autojunk=False).get_matching_blocks()
    return [(left_calls[block.a + step], right_calls[block.b + step]) for block in blocks for step in range(block.size)]


def _row(name: str, good_side: Side | None, bad_side: Side | None, parting: tuple[int | None, int | None]) -> TwinRow:
    good = _placed(good_side, f"{name}-p", parting[0]) if good_side else None
    bad = _placed(bad_side, f"{name}-f", parting[1]) if bad_side else None
    alike = (
        good_side is not None
        and bad_side is not None
        and good_side.part == replace(bad_side.part, item=good_side.part.item)
    )
    return TwinRow(good, bad, alike)


def _placed(side: Side, prefix: str, parting: int | None = None) -> Side:
    """The item with its anchor, and marked where the two attempts part."""
    item = side.part.item
    anchor = f"{prefix}{'row' if item is None else item}-{side.part.kind}{side.part.start or ''}"
    return replace(side, anchor=anchor, marked=parting is not None and item == parting)
