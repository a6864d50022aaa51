"""The failure modes of the rows of a comparison: what plain behaviour is split by."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import field
from typing import Any

import polars as pl

from blade.change.pair import Pair
from blade.counting.run import Run
from blade.diagnosis.blame import UNEXPLAINED as UNBLAMED
from blade.diagnosis.modes import UNEXPLAINED, WITHOUT_CAUSE, Places
from blade.findings import Mode
from blade.frozen import frozen
from blade.model import Status
from blade.registry import plugins


@frozen
class Modes:
    """Which rollout failed how: by run and place, and what each mode is."""

    places: Mapping[str, Places] = field(default_factory=dict)
    known: Mapping[str, Mode] = field(default_factory=dict)
    spent: Mapping[str, Collection[tuple[str, int]]] = field(default_factory=dict)
    """Run → places of rollouts that were cut only where every failure ends: for the ledger they are plain."""
    one_sided: Mapping[tuple[str, str], Collection[str]] = field(default_factory=dict)
    """Base and candidate → modes that one of them has no records of: for their ledger they are no modes."""

    def tool(self, mode: str | None) -> str | None:
        """The tool a mode is about, if it is about one."""
        entry = self.known.get(mode or "")
        return entry.where.get("tool") if entry else None

    def cause(self, mode: str | None) -> str:
        """The cause that a mode's points belong to: behaviour, unless its rule blames another by itself."""
        entry = self.known.get(mode or "")
        rule = plugins("detectors").get(entry.detector) if entry and entry.detector else None
        return getattr(rule, "BLAMES", "behaviour")

    def blame(self, mode: str | None) -> str:
        """Whose doing a mode is; what no rule knows, and what passes show as well, is unexplained."""
        entry = self.known.get(mode or "")
        return entry.blame if entry and not self.in_passes(mode) else UNBLAMED

    def in_passes(self, mode: str | None) -> Mapping[str, Any] | None:
        """Of a mode that is not shown to separate failures from passes: how many of both show what it tells of."""
        entry = self.known.get(mode or "")
        return None if entry is None or entry.separation is None or entry.separation["separates"] else entry.separation

    def of_verifier(self, mode: str | None) -> bool:
        """Whether a mode tells of the verifier, though what the agent wrote may have a part in it."""
        entry = self.known.get(mode or "")
        return entry is not None and entry.kind == "verifier"

    def more_common(self, mode: str | None, pair: Pair) -> bool | None:
        """Whether a larger share of the candidate's rollouts shows a mode's sign; None where the shares are equal."""
        entry = self.known.get(mode or UNEXPLAINED)
        if entry is None:
            return None
        before, after = (
            entry.runs[run.name]["any_rollouts"] / max(frame.height, 1)
            for run, frame in ((pair.base, pair.a), (pair.candidate, pair.b))
        )
        return None if before == after else after > before

    def name(self, mode: str | None) -> str | None:
        entry = self.known.get(mode or "")
        return entry.name if entry else None


def states(run: Run, rows: pl.DataFrame, modes: Modes) -> list[str]:
    """The status of each row; one that was cut only where every failure ends is plain."""
    plain = modes.spent.get(run.name, ())
    return [
        Status.OK.value if plain and (run.raw.sources[file], line) in plain else state
        for state, file, line in rows.select("state", "file", "line").rows()
    ]


def failure_modes(run: Run, rows: pl.DataFrame, modes: Modes, pair: tuple[str, str]) -> list[str | None]:
    """One mode per row: only clean rows that fell short have one; what no rule knows or a limit ends has none."""
    places = modes.places.get(run.name, {})
    left_out = WITHOUT_CAUSE.union(modes.one_sided.get(pair, ()))
    row_modes = []
    for state, file, line in rows.select("state", "file", "line").rows():
        mode = places.get((run.raw.sources[file], line)) if state == "ok" else None
        row_modes.append(None if mode in left_out else mode)
    return row_modes
