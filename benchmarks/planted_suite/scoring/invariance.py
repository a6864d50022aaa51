"""Whether two accounts of one change agree, part by part."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from blade.simulate.simulated_row import Json

__all__ = ["agree"]

CLOSE = 1e-9
TURNED = {"added": "removed", "removed": "added"}


def agree(change: Json, other_change: Json, *, turned: bool = False, pool_bounds: bool = False) -> bool:
    """The same delta, and the same points for every cause; `turned`: base and candidate have changed places.

    Where a part is only bounded, its point depends on how many tasks there are: `pool_bounds` compares the sum of
    all parts that either account only bounds.
    """
    sign = -1.0 if turned else 1.0
    if abs(sign * other_change["delta"] - change["delta"]) > CLOSE * max(1.0, abs(change["delta"])):
        return False
    loose = _bounded(change) | _bounded(other_change) if pool_bounds else set()
    points, other_points = _points(change, loose), _points(other_change, loose, turned=turned)
    return all(
        abs(points.get(key, 0.0) - sign * other_points.get(key, 0.0)) <= CLOSE * max(1.0, abs(points.get(key, 0.0)))
        for key in points.keys() | other_points.keys()
    )


def _bounded(change: Json) -> set[str]:
    return {part["cause"] for part in change["parts"] if part.get("status") == "bounds"}


def _points(change: Json, loose: set[str], *, turned: bool = False) -> dict[tuple[str, str | None], float]:
    """Points by cause and sub-cause. Modes of behaviour are summed: their names may depend on the order of rows."""
    points_by_cause: dict[tuple[str, str | None], float] = {}
    for part in change["parts"]:
        sub = None if part["cause"] == "behaviour" else part.get("sub")
        key = (part["cause"], TURNED.get(sub, sub) if turned and sub else sub)
        key = ("bounds", None) if part["cause"] in loose else key
        points_by_cause[key] = points_by_cause.get(key, 0.0) + part["points"]
    return points_by_cause
