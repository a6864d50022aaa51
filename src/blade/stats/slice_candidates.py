"""All slices that one or two predicates cut out, their t statistics, and what chance makes of the largest of them.

The values are put on a lattice of whole numbers small enough that every sum and product below is exact in floating
point. So no result depends on the order of the tasks, on the machine, or on the sign of the values beyond its own sign,
and ties between the data and a permutation are true ties.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from blade.stats.predicates import Predicates, least_support

COLUMNS = 8
SMALL = 2**18
"""Products of matrices are cut into pieces of this many multiplications, eight columns wide. Larger ones are divided
among threads, which wait for each other at every piece: ten times slower where the cores have other work."""

Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.floating]
Integers = npt.NDArray[np.intp]

MOST_KEPT = 2 * 10**7
"""Places in random orders that are kept for the next step of a search; where there are more they are drawn again."""
MOST_PAIRED = 200
MOST_WORK = 160_000_000
"""With more than 200 predicates, or with more than MOST_WORK / T pairs of them, only the most evenly splitting ones are
paired. The values have no say in that: a choice made by looking at them would have to be made again for every
permutation. The second limit begins to matter at 4,000 tasks."""


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Candidate c is predicate first[c] and predicate second[c]; they are the same for a slice of one predicate."""

    members: npt.NDArray[np.bool_]  # tasks x predicates, tasks in an order of their own
    order: Integers  # that order: members[k] belongs to task order[k]
    first: Integers
    second: Integers
    support: Floats  # tasks in each candidate
    blocks: tuple[tuple[Integers, Integers], ...]  # (tasks, predicates): candidates run through the blocks in turn

    def mask(self, candidate: int) -> npt.NDArray[np.bool_]:
        """Which tasks, in the caller's order, are in the candidate."""
        mask = np.zeros(len(self.order), dtype=np.bool_)
        mask[self.order] = self.members[:, self.first[candidate]] & self.members[:, self.second[candidate]]
        return mask


def candidates(slice_predicates: Predicates) -> Candidates:
    """Every predicate, and every pair that is true of at least s tasks and removes 5 % of its smaller parent.

    Two levels of one field exclude each other, and a quartile bin lies inside its half: the rule drops such pairs.
    """
    packed = np.packbits(slice_predicates.members, axis=1)
    order = np.array(sorted(range(len(packed)), key=lambda task: packed[task].tobytes()), dtype=np.intp)
    members = slice_predicates.members[order]
    tasks, count = members.shape
    ones = members.astype(np.float64)
    support, overlaps = ones.sum(axis=0), ones.T @ ones
    most_paired = min(MOST_PAIRED, math.isqrt(MOST_WORK // tasks))
    evenness = np.argsort(-np.minimum(support, tasks - support), kind="stable")[:most_paired]
    by_size = evenness[np.lexsort((evenness, support[evenness]))]
    blocks = [(np.arange(tasks), np.arange(count))]
    first, second = [np.arange(count)], [np.arange(count)]
    for k, small in enumerate(by_size):
        larger = by_size[k + 1 :]
        shared = overlaps[small, larger]
        partners = larger[(shared >= least_support(tasks)) & (shared <= 0.95 * support[small])]
        if len(partners):
            blocks.append((np.flatnonzero(members[:, small]), partners))
            first.append(np.full(len(partners), small))
            second.append(partners)
    first_of_pair, second_of_pair = np.concatenate(first), np.concatenate(second)
    return Candidates(
        members, order, first_of_pair, second_of_pair, overlaps[first_of_pair, second_of_pair], tuple(blocks)
    )


def as_integers(values: Floats) -> Numbers:
    """The values, centred on their mean, as whole numbers of limited size; all 0 if they are equal.

    Up to sqrt(2^24 / T) single precision holds every sum of squares exactly. That serves, being faster, if a step is
    then at most 1/8 of the standard deviation. Else the limit is 2^26 / T, and 2^20, in double precision.
    """
    centred = values - math.fsum(values.tolist()) / len(values)
    size = float(np.abs(centred).max())
    if size <= 1e-12 * float(np.abs(values).max()):
        return np.zeros_like(centred)
    coarse = math.isqrt(2**24 // len(values))
    if 8.0 * size <= coarse * math.sqrt(math.fsum((centred**2).tolist()) / len(values)):
        return np.rint(centred * (coarse / size)).astype(np.float32)
    return np.rint(centred * (min(2**20, 2**26 // len(values)) / size))


@dataclass(frozen=True, slots=True, eq=False)
class Statistics:
    """Of all candidates, for values on the lattice."""

    t2: Floats  # squared, by the larger of Welch's and Student's spread
    shift: Floats  # T sum_S x - |S| sum x: the excess contribution, but for a common factor


@dataclass(frozen=True, slots=True, eq=False)
class Null:
    largest: Floats  # of t2, one per permutation, sorted
    reached: Integers  # permutations that reach a candidate's t2

    def adjusted(self, t2: Floats) -> Floats:
        """Westfall-Young: (1 + permutations whose largest t2 reaches this one) / (1 + permutations)."""
        hits = len(self.largest) - np.searchsorted(self.largest, t2, side="left")
        return np.asarray((1.0 + hits) / (1.0 + len(self.largest)))

    def marginal(self) -> Floats:
        return np.asarray((1.0 + self.reached) / (1.0 + len(self.largest)))


def statistics(slices: Candidates, x: Numbers) -> Statistics:
    """The t and the excess of every candidate; x is on the lattice, in the caller's order."""
    pieces = [_t_squared(*piece, x) for piece in _sums(slices, x[slices.order][None, :, None])]
    return Statistics(np.concatenate([t2.ravel() for t2, _ in pieces]), np.concatenate([s.ravel() for _, s in pieces]))


def null(slices: Candidates, x: Numbers, t2: Floats, permutations: int, seed: int) -> Null:
    """Values dealt out to the tasks at random. x and -x are dealt alike, as are tasks in any order."""
    rising, falling = np.sort(x), np.sort(-x)
    deck = max(rising, falling, key=lambda side: side.tolist())
    orders = _orders(permutations, len(x), seed)
    largest, reached = [np.zeros(0)], np.zeros(len(slices.first), dtype=np.intp)
    for deals, columns in _batches(permutations, len(x)):
        dealt = deck[next(orders)].reshape(deals, columns, -1).swapaxes(1, 2)
        top, columns_done = np.zeros((deals, columns)), 0
        for piece in _sums(slices, dealt):
            chance, _ = _t_squared(*piece, deck)
            np.maximum(top, chance.max(axis=1), out=top)
            columns_now = slice(columns_done, columns_done + chance.shape[1])
            reached[columns_now] += (chance >= t2[columns_now, None]).sum(axis=(0, 2))
            columns_done = columns_now.stop
        largest.append(top.ravel())
    return Null(np.sort(np.concatenate(largest)), reached)


def _orders(permutations: int, tasks: int, seed: int) -> Iterator[Integers]:
    """Random orders of the tasks, batch by batch: the same for every step of a search, and kept where they are few."""
    return (
        iter(_cached_orders(permutations, tasks, seed))
        if permutations * tasks <= MOST_KEPT
        else _random_orders(permutations, tasks, seed)
    )


@lru_cache(maxsize=2)
def _cached_orders(permutations: int, tasks: int, seed: int) -> tuple[Integers, ...]:
    narrow = np.min_scalar_type(tasks)
    return tuple(batch.astype(narrow) for batch in _random_orders(permutations, tasks, seed))


def _random_orders(permutations: int, tasks: int, seed: int) -> Iterator[Integers]:
    rng = np.random.default_rng(seed)
    for deals, columns in _batches(permutations, tasks):
        yield rng.permuted(np.tile(np.arange(tasks), (deals * columns, 1)), axis=1)


def _batches(permutations: int, tasks: int) -> Iterator[tuple[int, int]]:
    """(stacks, columns in each): stacks of eight permutations, as many as fit into some megabytes; then the rest."""
    fit = max(1, 50_000 // tasks)
    full, remainder = divmod(permutations, COLUMNS)
    for start in range(0, full, fit):
        yield min(fit, full - start), COLUMNS
    if remainder:
        yield 1, remainder


def _sums(slices: Candidates, x: Numbers) -> Iterator[tuple[Floats, Floats, Floats]]:
    """Supports, sums and sums of squares of some candidates after the other; x is stacks x tasks x columns."""
    moments, rows_done = np.concatenate((x, x * x)), 0
    for tasks, slice_numbers in slices.blocks:
        values = moments[:, tasks]
        rows = max(1, SMALL // (len(tasks) * COLUMNS))
        for start in range(0, len(slice_numbers), rows):
            ones = slices.members[np.ix_(tasks, slice_numbers[start : start + rows])].T.astype(x.dtype)
            sums = (ones @ values).astype(np.float64)
            yield slices.support[rows_done : rows_done + len(ones), None], sums[: len(x)], sums[len(x) :]
            rows_done += len(ones)


def _t_squared(n1: Floats, sums: Floats, squares: Floats, x: Numbers) -> tuple[Floats, Floats]:
    """t^2 = shift^2 / the larger of two spreads, A = n1 sum x^2 - (sum x)^2 inside and B the same outside.

    Welch's spread, A n0^2 / (n1-1) + B n1^2 / (n0-1), holds where a slice varies more than the rest. Student's,
    (A n0 + B n1) T / (T-2), holds where it varies less: by its own spread a small slice whose values are all alike, as
    those of most tasks on which two runs agree, would stand out in most deals, and hide what does in earnest.
    """
    tasks, total, total_squares = len(x), float(x.sum(dtype=np.float64)), float((x * x).sum(dtype=np.float64))
    n0 = tasks - n1
    shift = tasks * sums - n1 * total
    inside_spread = n1 * squares - sums * sums
    outside = n0 * (total_squares - squares) - (total - sums) ** 2
    own = inside_spread * (n0 * n0 / (n1 - 1.0)) + outside * (n1 * n1 / (n0 - 1.0))
    spread = np.maximum(own, (inside_spread * n0 + outside * n1) * (tasks / (tasks - 2.0)))
    t2 = shift * shift
    if spread.min() > 0.0:
        t2 /= spread
    else:
        t2 = np.divide(t2, spread, out=np.where(t2 > 0.0, np.inf, 0.0), where=spread > 0.0)
    return t2, shift
