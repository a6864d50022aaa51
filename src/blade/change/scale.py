"""Rewards on another scale: one affine map from one run's rewards to the other's, exact or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

EXACT = 1e-9
FEWEST_SHARED = 3
MOST_ATOMS = 64


Side = Literal["base", "candidate"]


@dataclass(frozen=True, slots=True)
class Rescale:
    """A reward on the common scale = intercept + slope · reward. `side` is the run that has to be mapped.

    The other run is on the common scale already: the one within 0..1 or, where that settles nothing, the one whose
    rewards differ less in size. It is the same run whichever comes first, so swapping the runs mirrors every number.
    """

    slope: float
    intercept: float
    side: Side = "candidate"

    def __call__(self, value: float) -> float:
        return self.intercept + self.slope * value


def find_rescale(
    base: Sequence[float], candidate: Sequence[float], shared: Sequence[tuple[float, float]]
) -> Rescale | None:
    """The map that puts one run's rewards on the other's scale, if the two supports differ in scale.

    Either the supports are images of each other (two atoms say nothing unless a run leaves 0..1), or over shared
    outputs one map sends every distinct value to its partner, over at least three values. A good fit is not enough.
    """
    left, right = sorted(set(base)), sorted(set(candidate))
    if len(left) < 2 or len(right) < 2 or left == right:
        return None
    side: Side = "candidate"
    if _home(right) < _home(left):
        left, right, side = right, left, "base"
        shared = [(candidate_reward, base_reward) for base_reward, candidate_reward in shared]
    rescale = _by_support(left, right) or _by_shared(shared)
    return None if rescale is None else replace(rescale, side=side)


def _home(values: list[float]) -> tuple[bool, float, list[float]]:
    """Smaller for the run that keeps its scale: within 0..1 the wider one, else the narrower one."""
    span = values[-1] - values[0]
    return (False, -span, values) if _in_unit(values) else (True, span, values)


def _by_support(left: list[float], right: list[float]) -> Rescale | None:
    if _in_unit(left) and _in_unit(right):
        return None
    for ends in ((0.0, 100.0), (-1.0, 1.0)):
        for unit, other_support, back in ((left, right, False), (right, left, True)):
            if _in_unit(unit) and {unit[0], unit[-1]} == {0.0, 1.0} and (other_support[0], other_support[-1]) == ends:
                rescale = _through(unit[0], unit[-1], other_support[0], other_support[-1])
                if _maps(unit, other_support, rescale):
                    return _inverse(rescale) if back is False else rescale
    if len(left) == len(right) <= MOST_ATOMS:
        rescale = _through(right[0], right[-1], left[0], left[-1])
        if all(
            abs(rescale(candidate_value) - base_value) <= EXACT
            for base_value, candidate_value in zip(left, right, strict=True)
        ):
            return rescale
    return None


def _maps(unit: list[float], other_support: list[float], rescale: Rescale) -> bool:
    """Few-valued supports must agree atom by atom; on a fine scale the ends decide."""
    if len(unit) > MOST_ATOMS or len(other_support) > MOST_ATOMS:
        return True
    images = {round(rescale(value), 9) for value in unit}
    return images >= {round(value, 9) for value in other_support} or images <= {
        round(value, 9) for value in other_support
    }


def _by_shared(shared: Sequence[tuple[float, float]]) -> Rescale | None:
    partners: dict[float, float] = {}
    for base_reward, candidate_reward in shared:
        if abs(partners.setdefault(candidate_reward, base_reward) - base_reward) > EXACT:
            return None
    if len(partners) < FEWEST_SHARED:
        return None
    ends = min(partners), max(partners)
    rescale = _through(ends[0], ends[1], partners[ends[0]], partners[ends[1]])
    identity = abs(rescale.slope - 1) <= EXACT and abs(rescale.intercept) <= EXACT
    if (
        identity
        or rescale.slope <= 0
        or any(
            abs(rescale(candidate_reward) - base_reward) > EXACT for candidate_reward, base_reward in partners.items()
        )
    ):
        return None
    return rescale


def _through(x0: float, x1: float, y0: float, y1: float) -> Rescale:
    slope = (y1 - y0) / (x1 - x0)
    return Rescale(slope, y0 - slope * x0)


def _inverse(rescale: Rescale) -> Rescale:
    return Rescale(1 / rescale.slope, -rescale.intercept / rescale.slope)


def _in_unit(values: list[float]) -> bool:
    return values[0] >= -EXACT and values[-1] <= 1 + EXACT
