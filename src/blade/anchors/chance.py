"""What chance would show: permuted data for surprise, resampled tasks for stability.

Tasks, not rollouts, are moved or drawn: attempts at one task resemble each other, and a rule that took them for
independent would be surprised by everything. Families of facts are judged together by the largest value that permuted
data show anywhere in the family, which guards as Holm's rule does and knows how the facts depend on each other.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from xxhash import xxh3_64_intdigest

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

PERMUTATIONS = 999
FEWEST_TRIES = 199
RESAMPLES = 400
GUESSABLE = 0.1
SURE = 0.05
STABLE = 0.8
_CELLS = 4_000_000
"""Numbers held at once."""


def dice(seed: int, family: str) -> np.random.Generator:
    """Each family has its own, so that none changes when another looks at more facts."""
    return np.random.default_rng(xxh3_64_intdigest(f"{seed}|{family}".encode("utf-8", "replace")))


def tries(size: int) -> int:
    """How many permuted data sets: fewer where each is large."""
    return int(min(PERMUTATIONS, max(FEWEST_TRIES, 20 * _CELLS // max(1, size))))


def shuffles(rng: np.random.Generator, size: int, number: int = PERMUTATIONS) -> Ints:
    """Orders of `size` things, one a row."""
    return np.argsort(rng.random((number, size)), axis=1, kind="stable")


def draws(rng: np.random.Generator, size: int, number: int = RESAMPLES) -> Floats:
    """How often each of `size` tasks is drawn, one resample a row."""
    return rng.multinomial(size, np.full(size, 1.0 / size), size=number).astype(np.float64)


def share(holds: Bools) -> float:
    """The share of permuted data sets in which something holds; never zero, because only so many were tried."""
    return float((1 + int(holds.sum())) / (1 + holds.shape[0]))


def moved_counts(levels: Ints, level_count: int, counts: Floats, orders: Ints) -> Floats:
    """Counts by level (permutation, level, column) when the tasks' counts are dealt anew to the tasks' levels."""
    one_hot = np.zeros((level_count, levels.size))
    has_level = levels >= 0
    one_hot[levels[has_level], np.flatnonzero(has_level)] = 1.0
    counts_by_order = np.empty((orders.shape[0], level_count, counts.shape[1]))
    step = max(1, _CELLS // max(1, counts.size))
    for start in range(0, orders.shape[0], step):
        part = orders[start : start + step]
        counts_by_order[start : start + step] = one_hot @ counts[part]
    return counts_by_order


def familywise(observed: Floats, permuted: Floats) -> Floats:
    """For each fact the share of permuted data sets in which any fact of the family stands out as much.

    Values are made comparable by their own mean and spread over the permuted data.
    """
    if not observed.size:
        return np.zeros(0)
    middle = permuted.mean(axis=0)
    spread = permuted.std(axis=0)
    spread[spread < 1e-9] = np.inf
    peaks = ((permuted - middle) / spread).max(axis=1)
    height = (observed - middle) / spread
    return np.asarray([share(peaks >= value - 1e-9) for value in height])


def medians(values: Floats, masks: Bools, weights: Floats | None = None) -> Floats:
    """The lower median of the values in each mask (a row each), without sorting again; nan where the mask is empty."""
    order = np.argsort(values, kind="stable")
    masked_weights = masks[:, order].astype(np.float64)
    if weights is not None:
        masked_weights *= weights[:, order]
    running = masked_weights.cumsum(axis=1)
    total = running[:, -1]
    at = (running >= (total / 2)[:, None] - 1e-12).argmax(axis=1)
    middle = values[order][at]
    middle[total == 0] = np.nan
    return np.asarray(middle, np.float64)


def dealt_outcomes(rng: np.random.Generator, task: Ints, passed: Bools, number: int | None = None) -> Bools:
    """Outcomes dealt anew within the run: task by task among tasks with as many attempts, then within each task."""
    number = tries(40 * passed.size) if number is None else number
    dealt_rows = np.empty((number, passed.size), bool)
    sizes = np.bincount(task)
    rows_of = [np.flatnonzero(task == number_of_task) for number_of_task in range(sizes.size)]
    for size in sorted(set(sizes.tolist()) - {0}):
        tasks = np.flatnonzero(sizes == size)
        block = np.stack([rows_of[number_of_task] for number_of_task in tasks])  # tasks × attempts
        outcomes = passed[block]
        orders = shuffles(rng, tasks.size, number)
        attempt_orders = np.argsort(rng.random((number, tasks.size, size)), axis=2, kind="stable")
        dealt = np.take_along_axis(outcomes[orders], attempt_orders, axis=2)
        dealt_rows[:, block.ravel()] = dealt.reshape(number, -1)
    return dealt_rows
