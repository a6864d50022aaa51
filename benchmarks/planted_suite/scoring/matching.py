"""Which parts of a reported change speak of which planted cause."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.planted_suite.planted_case import CaseTruth, TruePart

    from blade.simulate.simulated_row import Json

__all__ = ["health_finds", "matches", "matching", "named_parts", "share_error"]

SMALLEST = 0.02
"""Errors are measured against the planted points, or against two points where less was planted."""


def named_parts(change: Json) -> list[Json]:
    """The parts that the report stands by, the largest first: behaviour is one whether its cause is told or not."""
    return sorted((part for part in change["parts"] if part["significant"]), key=lambda part: -abs(part["points"]))


def matches(true: TruePart, part: Json) -> bool:
    """Whether the part names this cause, with the right sub-cause where one is wanted and one is given."""
    if part["cause"] != true.cause:
        return part["cause"] in true.also
    return true.sub is None or part.get("sub") in (None, true.sub)


def matching(true: TruePart, parts: Sequence[Json]) -> list[Json]:
    return [part for part in parts if matches(true, part)]


def health_finds(true: TruePart, health: Sequence[Json]) -> bool:
    """A wrong reference answer may also be told as a health item that lists one of the tasks."""
    if true.sub != "gold":
        return False
    gold_items = [item for item in health if "gold" in f"{item.get('check', '')} {item.get('statement', '')}".lower()]
    return any(set(item.get("tasks") or ()) & set(true.tasks) for item in gold_items)


def share_error(truth: CaseTruth, parts: Sequence[Json]) -> float:
    """Sum of the errors of all causes over the planted points. Luck between the runs belongs to behaviour."""
    points_by_cause: dict[str, float] = {}
    for true in truth.parts:
        points_by_cause[true.cause] = points_by_cause.get(true.cause, 0.0) + true.realised
    planted = sum(abs(points) for points in points_by_cause.values())
    luck = truth.delta - sum(true.realised for true in truth.parts)
    points_by_cause["behaviour"] = points_by_cause.get("behaviour", 0.0) + luck
    for part in parts:
        cause = next((true.cause for true in truth.parts if part["cause"] in true.also), part["cause"])
        cause = "behaviour" if cause == "unresolved" else cause
        points_by_cause[cause] = points_by_cause.get(cause, 0.0) - part["points"]
    return sum(abs(difference) for difference in points_by_cause.values()) / max(planted, SMALLEST)
