"""Where a row of numbers, in the order of a value, is best cut in two: one side lies higher, beyond chance or not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from blade.frozen import frozen

DEALS = 4_000
DEALT_AT_ONCE = 200
PLAIN = 2.7
"""Standard errors below which no cut is sure, whichever of them is the best: nothing is dealt for these."""
ALMOST = 1e-9

Floats = npt.NDArray[np.float64]


@frozen
class BestCut:
    """So many of the numbers, those with the lowest values, are on one side. p is that of the best of all cuts."""

    below: int
    p: float


def best_cut(values: Sequence[float], numbers: Sequence[float], fewest: int, seed: int = 0) -> BestCut | None:
    """The cut whose sides lie furthest apart; `numbers` stand in the order of their `values`.

    Equal values stay together, and each side has at least `fewest`. The numbers are dealt anew to the places: p is the
    share of deals whose best cut is as good. None where nothing can be cut, or all numbers are equal.
    """
    row = np.asarray(numbers, dtype=np.float64)
    places = len(row)
    cuts = np.array(
        [at for at in range(fewest, places - fewest + 1) if at and at < places and values[at] != values[at - 1]],
        np.int64,
    )
    spread = float(row.std())
    if not len(cuts) or spread <= ALMOST:
        return None
    centred = row - row.mean()
    weights = np.sqrt(cuts * (places - cuts) / places)
    distances = np.abs(np.cumsum(centred)[cuts - 1]) / weights
    best = int(np.argmax(distances))
    if distances[best] < PLAIN * spread:
        return BestCut(int(cuts[best]), 1.0)
    return BestCut(int(cuts[best]), _share_as_good(centred, cuts, weights, float(distances[best]), seed))


def _share_as_good(centred: Floats, cuts: npt.NDArray[np.int64], weights: Floats, distance: float, seed: int) -> float:
    """The share of deals, the one that was made among them, whose best cut is as good."""
    chance = np.random.default_rng(seed)
    as_good = 1
    for _ in range(DEALS // DEALT_AT_ONCE):
        dealt = chance.permuted(np.tile(centred, (DEALT_AT_ONCE, 1)), axis=1)
        distances = np.abs(np.cumsum(dealt, axis=1)[:, cuts - 1]) / weights
        as_good += int((distances.max(axis=1) >= distance - ALMOST).sum())
    return as_good / (DEALS + 1)
