"""Where a change sits: slices of the tasks whose values differ from the rest by more than chance explains.

A value per task goes in (its change, or its share of a cause), with the tasks' metadata. All slices of one or two
predicates are tried; the largest |t| of them under permutation of the values over the tasks says what is beyond chance
(Westfall and Young), so trying many costs no false alarms.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from blade.frozen import frozen
from blade.stats import normal_null
from blade.stats.multiple import benjamini_hochberg
from blade.stats.paired import welch
from blade.stats.predicates import Value, predicates
from blade.stats.slice_candidates import Candidates, Null, Statistics, as_integers, candidates, null, statistics

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

NAMED = 0.05  # adjusted p of a slice that is named
SUGGESTIVE = 0.10  # false discovery rate of slices that are only suggested
MOST_SLICES = 5
ALIKE = 0.8  # Jaccard index above which two slices are one
BEATS_PARENT = 0.01  # p of a slice of two predicates against the rest of its parent


@frozen
class SliceStats:
    tasks: int  # |S|
    inside: float  # mean
    outside: float
    t: float | None  # Welch; None if neither side varies
    df: float | None
    p: float | None  # of this slice alone, as if it had not been searched for
    total: float  # sum over S / T: what the slice adds to the mean
    excess: float  # |S|/T (inside - mean): what would vanish if the slice were like the average
    share: float | None  # total / mean, if the mean is more than two standard errors from 0


@frozen
class Slice:
    where: tuple[str, ...]  # one or two predicates, sorted
    members: tuple[int, ...]  # positions of its tasks
    stats: SliceStats  # of the values as given
    excess_left: float  # excess once the slices before it are evened out
    p_adjusted: float  # for having searched, at the step that found it
    q: float | None  # false discovery rate, of suggestions only
    named: bool


@frozen
class SliceSearch:
    named: tuple[Slice, ...]  # in the order found, at most five
    suggested: tuple[Slice, ...]  # none of these is beyond doubt, at most five
    predicates: int
    candidates: int


def slice_stats(values: Sequence[float], members: Sequence[bool]) -> SliceStats | None:
    """One slice against the rest; None unless two tasks are inside and two outside."""
    member_values = [value for value, member in zip(values, members, strict=True) if member]
    other_values = [value for value, member in zip(values, members, strict=True) if not member]
    if min(len(member_values), len(other_values)) < 2:
        return None
    test, tasks = welch(other_values, member_values), len(values)
    mean, total = math.fsum(values) / tasks, math.fsum(member_values) / tasks
    variance = math.fsum((value - mean) ** 2 for value in values) / (tasks - 1)
    return SliceStats(
        tasks=len(member_values),
        inside=math.fsum(member_values) / len(member_values),
        outside=math.fsum(other_values) / len(other_values),
        t=None if test is None else test.t,
        df=None if test is None else test.df,
        p=None if test is None else test.p,
        total=total,
        excess=len(member_values) / tasks * (math.fsum(member_values) / len(member_values) - mean),
        share=total / mean if abs(mean) > 2.0 * math.sqrt(variance / tasks) else None,
    )


def find_slices(
    values: Sequence[float], metadata: Sequence[Mapping[str, Value]], *, seed: int = 0, permutations: int = 1000
) -> SliceSearch:
    """Slices that stand out, one at a time: the named one with the largest excess is taken, evened out, and so on.

    To even out is to shift the slice's values so that their mean is that of the rest. The search ends after five
    slices, or where none is named; what BH at 10 % finds then is suggested. Nothing is found in fewer than 20 tasks, in
    values that are all equal, or without metadata that divides the tasks. -values have the same slices and p, and
    opposite excess.
    """
    task_values = np.asarray(values, dtype=np.float64)
    if len(task_values) != len(metadata):
        raise ValueError(f"{len(task_values)} values, but metadata of {len(metadata)} tasks")
    if not np.all(np.isfinite(task_values)):
        raise ValueError("every value must be a finite number")
    slice_predicates = predicates(metadata)
    if not slice_predicates.names:
        return SliceSearch((), (), 0, 0)
    slices = candidates(slice_predicates)
    named_slices: list[Slice] = []
    taken_masks: list[Mask] = []
    left = task_values
    while (step := _Step.of(slice_predicates.names, slices, left, permutations, seed)) is not None:
        picked = (
            next(step.walk(step.p_adjusted <= NAMED, taken_masks), None) if len(named_slices) < MOST_SLICES else None
        )
        if picked is None:
            break
        taken_masks.append(slices.mask(picked))
        named_slices.append(step.slice_of(picked, task_values, None))
        left = _evened_out(left, taken_masks[-1])
    suggested = () if step is None else tuple(step.suggestions(task_values, taken_masks))
    return SliceSearch(tuple(named_slices), suggested, len(slice_predicates.names), len(slices.first))


@dataclass(frozen=True, slots=True, eq=False)
class _Step:
    names: tuple[str, ...]
    slices: Candidates
    left: Floats  # the values, with the slices found so far evened out
    statistics: Statistics
    chance: Null
    p_adjusted: Floats

    @classmethod
    def of(cls, names: tuple[str, ...], slices: Candidates, left: Floats, permutations: int, seed: int) -> _Step | None:
        """None where no value is left that differs from another."""
        x = as_integers(left)
        if not x.any():
            return None
        slice_statistics = statistics(slices, x)
        is_large = len(x) >= normal_null.MANY
        chance = (
            normal_null.normal_null(slices, slice_statistics.t2, permutations, seed)
            if is_large
            else null(slices, x, slice_statistics.t2, permutations, seed)
        )
        return cls(names, slices, left, slice_statistics, chance, chance.adjusted(slice_statistics.t2))

    def suggestions(self, task_values: Floats, taken_masks: list[Mask]) -> Iterator[Slice]:
        q = benjamini_hochberg(self.chance.marginal().tolist())
        masks = list(taken_masks)
        for picked in self.walk(np.array(q) <= SUGGESTIVE, masks):
            yield self.slice_of(picked, task_values, q[picked])
            masks.append(self.slices.mask(picked))
            if len(masks) == len(taken_masks) + MOST_SLICES:
                return

    def walk(self, eligible: Mask, taken_masks: list[Mask]) -> Iterator[int]:
        """Eligible candidates by excess, then the smaller one, then by name, without those much like one taken.

        A slice of two predicates that does not beat its better parent gives way to it, if that is eligible too.
        """
        order = sorted(np.flatnonzero(eligible).tolist(), key=self._rank)
        for candidate in dict.fromkeys(self._or_parent(candidate) for candidate in order):
            mask = self.slices.mask(candidate)
            if eligible[candidate] and all(_jaccard(mask, taken_mask) <= ALIKE for taken_mask in taken_masks):
                yield candidate

    def slice_of(self, candidate: int, task_values: Floats, q: float | None) -> Slice:
        mask = self.slices.mask(candidate)
        stats, left = slice_stats(task_values.tolist(), mask.tolist()), slice_stats(self.left.tolist(), mask.tolist())
        if stats is None or left is None:
            raise ValueError("a candidate has two tasks inside and two outside")
        return Slice(
            where=self._where(candidate),
            members=tuple(np.flatnonzero(mask).tolist()),
            stats=stats,
            excess_left=left.excess,
            p_adjusted=float(self.p_adjusted[candidate]),
            q=q,
            named=q is None,
        )

    def _where(self, candidate: int) -> tuple[str, ...]:
        return tuple(sorted({self.names[self.slices.first[candidate]], self.names[self.slices.second[candidate]]}))

    def _rank(self, candidate: int) -> tuple[float, float, tuple[str, ...]]:
        return -abs(self.statistics.shift[candidate]), self.slices.support[candidate], self._where(candidate)

    def _or_parent(self, candidate: int) -> int:
        """The candidate, or its parent with the larger t unless the candidate differs from the rest of that parent.

        It must differ with p < .01 and lie further from the mean of all. Candidate p, for p < P, is predicate p.
        """
        first, second = int(self.slices.first[candidate]), int(self.slices.second[candidate])
        if first == second:
            return candidate
        parent = min((first, second), key=lambda predicate: (-self.statistics.t2[predicate], self.names[predicate]))
        mask, wider = self.slices.mask(candidate), self.slices.mask(parent)
        test = welch(self.left[wider & ~mask].tolist(), self.left[mask].tolist())
        mean = _mean(self.left)
        further = abs(_mean(self.left[mask]) - mean) > abs(_mean(self.left[wider]) - mean)
        differs = test is not None and (test.se == 0 or (test.p is not None and test.p < BEATS_PARENT))
        return candidate if differs and further else parent


def _evened_out(values: Floats, mask: Mask) -> Floats:
    return np.where(mask, values - (_mean(values[mask]) - _mean(values[~mask])), values)


def _mean(values: Floats) -> float:
    return math.fsum(values.tolist()) / len(values)


def _jaccard(left: Mask, right: Mask) -> float:
    return float((left & right).sum() / (left | right).sum())
