"""Failures that only change their mode between two runs: in words, for the change and for the summary."""

from __future__ import annotations

from collections.abc import Iterator

from blade.document import Sentence, say
from blade.model import Change
from blade.wording import abridged, difference

MODES_TOLD = 2
MOVED = 0.01
"""Points from which failures that change their mode are told."""
UNTOLD = "unclassified failures"


def moved_failures(change: Change, scale: str, least: float = MOVED) -> Iterator[Sentence]:
    """That failures of one run fail in another way in the other, where they are worth so many points or more."""
    moved = change.views.get("migration")
    if not moved or moved["points"] < least:
        return
    modes = behaviour_modes(change)
    falling, rising = (
        abridged([modes.get(mode) or UNTOLD for mode in mode_ids], MODES_TOLD)
        for mode_ids in (moved["less"], moved["more"])
    )
    yield say(
        "Failures worth {points} moved from one failure mode to another ({less} → {more}): read these parts together.",
        points=difference(moved["points"], scale).lstrip("+"),
        less=falling,
        more=rising,
    )


def behaviour_modes(change: Change) -> dict[str | None, str | None]:
    """The failure modes among the parts, by their names."""
    return {part.sub: part.where.get("mode", part.sub) for part in change.parts if part.cause == "behaviour"}
