"""Exact tails of sums of many independent whole numbers.

Laws are convolved by FFT after exponential tilting: each chance is weighted by exp(theta x), with theta such that the
sum is expected where its tail begins, and the weight is taken off again at the end. So the rounding error of the FFT is
relative to the tail and not to 1, and a p-value of 1e-40 is as good as one of 0.5.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from blade.frozen import frozen

Floats = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]

LONGEST = 2**22
"""Sums with more possible values than this are not worked out."""

FINEST = 1000
"""Numbers are whole multiples of 1 / q for some q up to this, or they lie on no lattice."""


@frozen
class Law:
    """A random whole number, and how many independent copies of it are in the sum."""

    values: Whole
    chances: Floats
    copies: int


def whole_steps(numbers: Sequence[float]) -> dict[float, int] | None:
    """Each number as a count of equal steps from the least one; None where no step of 1 / q, q <= 1000, fits them all.

    Rounding errors below 1e-9 are overlooked. More than 2000 different numbers, or any above a million, fit none.
    """
    distinct = sorted(set(numbers))
    values = np.array(distinct, dtype=np.float64)
    if not distinct or len(distinct) > 2000 or np.abs(values).max() > 1e6:
        return None
    scaled = np.arange(1, FINEST + 1)[:, None] * values
    fits = np.flatnonzero(np.abs(scaled - np.rint(scaled)).max(axis=1) < 1e-9)
    if not len(fits):
        return None
    steps = np.rint(scaled[fits[0]]).astype(np.int64)
    steps -= steps[0]
    steps //= max(int(np.gcd.reduce(steps)), 1)
    return dict(zip(distinct, steps.tolist(), strict=True))


def upper_tail(laws: Sequence[Law], at: int) -> float | None:
    """P(sum >= at), or None if the sum has more than LONGEST possible values. An empty sum is 0.

    A law that stands in the sum again and again, as the same object, is worked out once.
    """
    different = {id(law): law for law in laws}
    lows = {place: int(law.values.min()) for place, law in different.items()}
    at -= sum(lows[id(law)] * law.copies for law in laws)
    if at <= 0:
        return 1.0
    shifted = {place: law.values - lows[place] for place, law in different.items()}
    unit = math.gcd(*(int(np.gcd.reduce(values)) for values in shifted.values()))
    if unit == 0:  # the sum is one number, below `at`
        return 0.0
    at = -(-at // unit)
    in_units = {place: Law(shifted[place] // unit, law.chances, law.copies) for place, law in different.items()}
    scaled = [in_units[id(law)] for law in laws]
    top = sum(int(law.values.max()) * law.copies for law in scaled)
    if top >= LONGEST:
        return None
    return _tail(scaled, at) if at <= top else 0.0


def _tail(laws: Sequence[Law], at: int) -> float:
    theta = _tilt(laws, at)
    tilted, log_scale = [], -theta * at
    worked_out: dict[int, tuple[Floats, float]] = {}
    for law in laws:
        if id(law) not in worked_out:
            highest = int(law.values.max())
            weights = np.bincount(law.values, weights=law.chances * np.exp(theta * (law.values - highest)))
            total = float(weights.sum())
            scale = law.copies * (math.log(total) + theta * highest)
            worked_out[id(law)] = _power(weights / total, law.copies), scale
        chances, scale = worked_out[id(law)]
        tilted.append(chances)
        log_scale += scale
    beyond = _product(tilted)[at:]
    share = float(np.dot(beyond, np.exp(-theta * np.arange(len(beyond)))))
    return min(max(math.exp(log_scale) * share, 0.0), 1.0)


def _tilt(laws: Sequence[Law], at: int) -> float:
    """A theta >= 0 with the mean of the tilted sum near `at`; 0 if the mean is there already, 64 at the very end."""
    if _tilted_mean(laws, 0.0) >= at:
        return 0.0
    high = 1.0 / at
    while high < 64.0 and _tilted_mean(laws, high) < at:
        high *= 2.0
    low = 0.0
    for _ in range(10):
        theta = (low + high) / 2.0
        low, high = (theta, high) if _tilted_mean(laws, theta) < at else (low, theta)
    return min(high, 64.0)


def _tilted_mean(laws: Sequence[Law], theta: float) -> float:
    means: dict[int, float] = {}
    total = 0.0
    for law in laws:
        if id(law) not in means:
            weights = law.chances * np.exp(theta * (law.values - law.values.max()))
            means[id(law)] = law.copies * float(np.dot(weights, law.values) / weights.sum())
        total += means[id(law)]
    return total


def _power(chances: Floats, copies: int) -> Floats:
    """The law of a sum of independent copies."""
    if copies == 1 or len(chances) == 1:
        return chances
    length = copies * (len(chances) - 1) + 1
    size = fast_length(length)
    return np.asarray(np.fft.irfft(np.fft.rfft(chances, size) ** copies, size)[:length], dtype=np.float64)


def _product(parts: Sequence[Floats]) -> Floats:
    """All laws convolved, the shortest first."""
    queue = [(len(part), order, part) for order, part in enumerate(parts)]
    heapq.heapify(queue)
    for order in range(len(parts), 2 * len(parts) - 1):
        (_, _, left), (_, _, right) = heapq.heappop(queue), heapq.heappop(queue)
        product = _convolved(left, right)
        heapq.heappush(queue, (len(product), order, product))
    return queue[0][2]


def _convolved(left: Floats, right: Floats) -> Floats:
    if min(len(left), len(right)) <= 32:
        return np.convolve(left, right)
    length = len(left) + len(right) - 1
    size = fast_length(length)
    product = np.fft.rfft(left, size) * np.fft.rfft(right, size)
    return np.asarray(np.fft.irfft(product, size)[:length], dtype=np.float64)


def fast_length(length: int) -> int:
    """The least product of twos, threes and fives that is no shorter: transforms of such lengths are fast."""
    fastest = _power_of_two(length)
    fives = 1
    while fives < fastest:
        odd = fives
        while odd < fastest:
            fastest = min(fastest, odd * _power_of_two(-(-length // odd)))
            odd *= 3
        fives *= 5
    return fastest


def _power_of_two(least: int) -> int:
    return 1 << (least - 1).bit_length()
