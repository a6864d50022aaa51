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

from blade.stats import normal_null
from blade.stats.multiple import benjamini_hochberg
from blade.stats.paired import welch
from blade.stats.predicates import Value, predicates
from blade.stats.slice_candidates import Candidates, Null, Statistics, candidates, null, statistics, whole

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

NAMED = 0.05  # adjusted p of a slice that is named
SUGGESTIVE = 0.10  # false discovery rate of slices that are only suggested
MOST_SLICES = 5
ALIKE = 0.8  # Jaccard index above which two slices are one
BEATS_PARENT = 0.01  # p of a slice of two predicates against the rest of its parent


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class Slice:
    where: tuple[str, ...]  # one or two predicates, sorted
    members: tuple[int, ...]  # positions of its tasks
    stats: SliceStats  # of the values as given
    excess_left: float  # excess once the slices before it are evened out
    p_adjusted: float  # for having searched, at the step that found it
    q: float | None  # false discovery rate, of suggestions only
    named: bool


@dataclass(frozen=True, slots=True)
class SliceSearch:
    named: tuple[Slice, ...]  # in the order found, at most five
    suggested: tuple[Slice, ...]  # none of these is beyond doubt, at most five
    predicates: int
    candidates: int


def slice_stats(values: Sequence[float], inside: Sequence[bool]) -> SliceStats | None:
    """One slice against the rest; None unless two tasks are inside and two outside."""
    here = [value for value, member in zip(values, inside, strict=True) if member]
    rest = [value for value, member in zip(values, inside, strict=True) if not member]
    if min(len(here), len(rest)) < 2:
        return None
    test, tasks = welch(rest, here), len(values)
    mean, total = math.fsum(values) / tasks, math.fsum(here) / tasks
    variance = math.fsum((value - mean) ** 2 for value in values) / (tasks - 1)
    return SliceStats(
        tasks=len(here),
        inside=math.fsum(here) / len(here),
        outside=math.fsum(rest) / len(rest),
        t=None if test is None else test.t,
        df=None if test is None else test.df,
        p=None if test is None else test.p,
        total=total,
        excess=len(here) / tasks * (math.fsum(here) / len(here) - mean),
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
    given = np.asarray(values, dtype=np.float64)
    if len(given) != len(metadata):
        raise ValueError(f"{len(given)} values, but metadata of {len(metadata)} tasks")
    if not np.all(np.isfinite(given)):
        raise ValueError("every value must be a finite number")
    found = predicates(metadata)
    if not found.names:
        return SliceSearch((), (), 0, 0)
    cut = candidates(found)
    named: list[Slice] = []
    taken: list[Mask] = []
    left = given
    while (step := _Step.of(found.names, cut, left, permutations, seed)) is not None:
        picked = next(step.walk(step.p_adjusted <= NAMED, taken), None) if len(named) < MOST_SLICES else None
        if picked is None:
            break
        taken.append(cut.mask(picked))
        named.append(step.slice_of(picked, given, None))
        left = _evened_out(left, taken[-1])
    suggested = () if step is None else tuple(step.suggestions(given, taken))
    return SliceSearch(tuple(named), suggested, len(found.names), len(cut.first))


@dataclass(frozen=True, slots=True, eq=False)
class _Step:
    names: tuple[str, ...]
    cut: Candidates
    left: Floats  # the values, with the slices found so far evened out
    found: Statistics
    chance: Null
    p_adjusted: Floats

    @classmethod
    def of(cls, names: tuple[str, ...], cut: Candidates, left: Floats, permutations: int, seed: int) -> _Step | None:
        """None where no value is left that differs from another."""
        x = whole(left)
        if not x.any():
            return None
        found = statistics(cut, x)
        many = len(x) >= normal_null.MANY
        chance = (
            normal_null.normal_null(cut, found.t2, permutations, seed)
            if many
            else null(cut, x, found.t2, permutations, seed)
        )
        return cls(names, cut, left, found, chance, chance.adjusted(found.t2))

    def suggestions(self, given: Floats, taken: list[Mask]) -> Iterator[Slice]:
        q = benjamini_hochberg(self.chance.marginal().tolist())
        seen = list(taken)
        for picked in self.walk(np.array(q) <= SUGGESTIVE, seen):
            yield self.slice_of(picked, given, q[picked])
            seen.append(self.cut.mask(picked))
            if len(seen) == len(taken) + MOST_SLICES:
                return

    def walk(self, eligible: Mask, taken: list[Mask]) -> Iterator[int]:
        """Eligible candidates by excess, then the smaller one, then by name, without those much like one taken.

        A slice of two predicates that does not beat its better parent gives way to it, if that is eligible too.
        """
        order = sorted(np.flatnonzero(eligible).tolist(), key=self._rank)
        for candidate in dict.fromkeys(self._or_parent(candidate) for candidate in order):
            mask = self.cut.mask(candidate)
            if eligible[candidate] and all(_jaccard(mask, other) <= ALIKE for other in taken):
                yield candidate

    def slice_of(self, candidate: int, given: Floats, q: float | None) -> Slice:
        mask = self.cut.mask(candidate)
        stats, left = slice_stats(given.tolist(), mask.tolist()), slice_stats(self.left.tolist(), mask.tolist())
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
        return tuple(sorted({self.names[self.cut.first[candidate]], self.names[self.cut.second[candidate]]}))

    def _rank(self, candidate: int) -> tuple[float, float, tuple[str, ...]]:
        return -abs(self.found.shift[candidate]), self.cut.support[candidate], self._where(candidate)

    def _or_parent(self, candidate: int) -> int:
        """The candidate, or its parent with the larger t unless the candidate differs from the rest of that parent.

        It must differ with p < .01 and lie further from the mean of all. Candidate p, for p < P, is predicate p.
        """
        first, second = int(self.cut.first[candidate]), int(self.cut.second[candidate])
        if first == second:
            return candidate
        parent = min((first, second), key=lambda one: (-self.found.t2[one], self.names[one]))
        mask, wider = self.cut.mask(candidate), self.cut.mask(parent)
        test = welch(self.left[wider & ~mask].tolist(), self.left[mask].tolist())
        mean = _mean(self.left)
        further = abs(_mean(self.left[mask]) - mean) > abs(_mean(self.left[wider]) - mean)
        differs = test is not None and (test.se == 0 or (test.p is not None and test.p < BEATS_PARENT))
        return candidate if differs and further else parent


def _evened_out(values: Floats, mask: Mask) -> Floats:
    return np.where(mask, values - (_mean(values[mask]) - _mean(values[~mask])), values)


def _mean(values: Floats) -> float:
    return math.fsum(values.tolist()) / len(values)


def _jaccard(one: Mask, other: Mask) -> float:
    return float((one & other).sum() / (one | other).sum())
