"""Which parts of a change moved beyond chance, though none of them is shown to be its cause."""

from __future__ import annotations

from collections.abc import Sequence

from blade.model import Change, Part
from blade.stats.multiple import holm
from blade.wording import SAME

ALPHA = 0.05


def within_chance(part: Part) -> bool:
    """Whether a part's own interval holds zero: it may be named as the largest of what is significant in total."""
    return part.interval is not None and part.interval[0] <= 0 <= part.interval[1]


def leaves_out_zero(part: Part) -> bool:
    """Whether its own interval leaves out zero: it moved, but the tests of all parts or the passes may not show it."""
    return part.interval is not None and (part.interval[0] > 0 or part.interval[1] < 0)


def clear_parts(change: Change) -> list[Part]:
    """The parts whose own intervals leave out zero."""
    return [part for part in change.parts if leaves_out_zero(part) and abs(part.points) >= SAME]


def beyond_chance(change: Change) -> list[Part]:
    """The parts of a real change that pass a test of their own among all, though their sum may not: they may offset."""
    if change.verdict != "real":
        return []
    tested: Sequence[Part] = [part for part in change.parts if part.p is not None]
    adjusted = dict(zip(map(id, tested), holm([part.p for part in tested if part.p is not None]), strict=True))
    return [part for part in clear_parts(change) if adjusted.get(id(part), 1.0) < ALPHA]
