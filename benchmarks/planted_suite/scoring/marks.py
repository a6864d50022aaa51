"""The marks of one case: what the report said of it, against what is true."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.planted_suite.planted_case import CaseTruth, TruePart
from benchmarks.planted_suite.scoring.matching import health_finds, matches, matching, named_parts, share_error
from benchmarks.planted_suite.scoring.places import located

if TYPE_CHECKING:
    from collections.abc import Sequence

    from blade.simulate.simulated_row import Json

__all__ = ["Covered", "Marks", "mark"]

EXACT = 1e-9
SIGNIFICANT = 0.05
HEDGED = ("bounds", "not_identified", "assumed")
MISS = 2 / 0.05
"""What a miss costs in the interval score, for intervals of 95 %."""


@dataclass(frozen=True, slots=True)
class Covered:
    """Whether the interval that a part gives holds the truth."""

    cause: str
    status: str
    holds: bool
    score: float
    """Width plus a price for a miss: less is better."""


@dataclass(frozen=True, slots=True)
class Marks:
    """One case. Shares are from 0 to 1."""

    truth: CaseTruth
    additive: bool
    named: tuple[str, ...]
    found: tuple[bool, ...]
    """For each planted cause: is it named?"""
    hedged: tuple[bool, ...]
    """For each planted cause: is it at least reported, as bounds or as not identified?"""
    top_one: bool
    """The largest named part is a planted cause."""
    f1: float
    share_error: float
    covered: tuple[Covered, ...]
    located: float | None
    false_names: tuple[str, ...]
    confident_wrong: bool
    """A wrong name that the report calls identified."""
    only_behaviour: bool
    """The confident wrong name is no more than behaviour without a mode or tool."""
    slice_alarm: bool
    flip_alarm: bool
    churn: bool
    utility: float


def mark(truth: CaseTruth, change: Json, health: Sequence[Json] = ()) -> Marks:
    """Hold one report's `change` (and its `health`) against the truth."""
    parts = change["parts"]
    stood_by = named_parts(change)
    found = tuple(bool(matching(true, stood_by)) or health_finds(true, health) for true in truth.parts)
    false = [part for part in stood_by if not any(matches(true, part) for true in truth.parts)]
    wrong = [part for part in false if part["status"] == "identified"]
    hedged = tuple(
        any(part["status"] in HEDGED and _weighs(part) for part in matching(true, parts)) for true in truth.parts
    )
    places = [
        place
        for true in truth.parts
        if (place := located(true, matching(true, stood_by), change.get("slices") or ())) is not None
    ]
    churn_p = change.get("churn_p")
    return Marks(
        truth=truth,
        additive=abs(sum(part["points"] for part in parts) - change["delta"]) < EXACT * max(1.0, abs(change["delta"])),
        named=tuple(part["cause"] for part in stood_by),
        found=found,
        hedged=hedged,
        top_one=bool(stood_by) and any(matches(true, stood_by[0]) for true in truth.parts),
        f1=_f1(truth, stood_by, found),
        share_error=share_error(truth, parts),
        covered=tuple(
            covered_part for true in truth.parts if (covered_part := _covered(true, matching(true, parts))) is not None
        ),
        located=sum(places) / len(places) if places else None,
        false_names=tuple(part["cause"] for part in false),
        confident_wrong=bool(wrong),
        only_behaviour=bool(wrong) and all(_plain_behaviour(part) for part in wrong),
        slice_alarm=any(line.get("named") for line in change.get("slices") or ()),
        flip_alarm=any(line.get("beyond_noise") for line in change.get("flips") or ()),
        churn=churn_p is not None and churn_p < SIGNIFICANT,
        utility=_utility(truth, found, hedged, bool(wrong), bool(stood_by)),
    )


def _weighs(part: Json) -> bool:
    """A line that says nothing and touches nothing is no report of a cause."""
    low, high = part.get("interval") or (0.0, 0.0)
    return bool(part["points"] or part.get("rollouts") or low or high)


def _plain_behaviour(part: Json) -> bool:
    return part["cause"] == "behaviour" and not part.get("sub") and not (part.get("where") or {}).get("tool")


def _f1(truth: CaseTruth, stood_by: Sequence[Json], found: tuple[bool, ...]) -> float:
    """Of the set of names; where there is nothing to name, silence is 1."""
    if not truth.parts:
        return float(not stood_by)
    names = {part["cause"] for part in stood_by}
    right = {part["cause"] for part in stood_by if any(matches(true, part) for true in truth.parts)}
    if not names:
        return float(all(found))
    precision = len(right) / len(names)
    recall = sum(found) / len(found)
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _covered(true: TruePart, parts: Sequence[Json]) -> Covered | None:
    """Several parts of one cause are added up end by end, which is never too narrow."""
    parts_with_interval = [part for part in parts if part.get("interval") and part["status"] != "not_identified"]
    if not parts_with_interval:
        return None
    low = sum(part["interval"][0] for part in parts_with_interval)
    high = sum(part["interval"][1] for part in parts_with_interval)
    slack = EXACT * max(1.0, abs(true.points))
    beyond = max(0.0, low - true.points) + max(0.0, true.points - high)
    statuses = {part["status"] for part in parts_with_interval}
    status = "bounds" if "bounds" in statuses else "assumed" if "assumed" in statuses else "identified"
    return Covered(true.cause, status, beyond <= slack, high - low + MISS * beyond)


def _utility(truth: CaseTruth, found: tuple[bool, ...], hedged: tuple[bool, ...], wrong: bool, spoke: bool) -> float:
    """A right name 1, honest doubt where doubt is right 1, silence on what could be known 0, a wrong name -2."""
    if truth.knowable == "nothing":
        return -2.0 if spoke else 1.0
    if wrong:
        return -2.0
    right = [
        named_it or (truth.knowable == "bounds" and is_hedged)
        for named_it, is_hedged in zip(found, hedged, strict=True)
    ]
    if truth.knowable == "not_identified":
        return 1.0
    return sum(right) / len(right)
