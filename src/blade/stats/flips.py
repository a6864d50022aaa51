"""Which tasks changed beyond noise, and how many seem to change without any change.

A cell is one task: (rows, passes) in run A and (rows, passes) in run B. One task has too few rows for a test of its
own: from 0 of 5 to 5 of 5 is p = .008. So the tasks are taken together. A share pi0 of them did not change, with rates
from one unknown distribution g0; the others have rates from gA and gB. All three live on a grid of 31 rates and are
found by EM, which works on distinct cells: the number of tasks does not matter for the cost. To smooth them, g0 gets
1/31 of a task at each rate, gA and gB a whole one: they rest on few tasks, and would else be drawn to a single one.

What tells noise from change is that attempts of one run differ among themselves. A task with one row in a run shows
nothing of the kind: one pass and one failure are a rate of a half as well as a change, and any share of changed tasks
fits such data. So only tasks with at least two rows in both runs are judged.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from blade.frozen import frozen
from blade.stats import betabinomial
from blade.stats.rounding import FITTED, significant
from blade.stats.scipy_functions import special

Cell: TypeAlias = tuple[int, int, int, int]
Bucket: TypeAlias = Literal["never", "sometimes", "always"]
Floats = npt.NDArray[np.float64]

FEWEST_TASKS = 50
FEWEST_ROWS = 2
TARGET = 0.10
ALONE = 0.05
"""The level of an exact test of one task, not corrected for their number: what a reader would try by hand."""
GRID = 31
ROUNDS = 500


@frozen
class Flip:
    """One task. P(p_B > p_A) + P(p_B < p_A) falls short of 1 by lfdr, as no change is a case of its own."""

    lfdr: float | None  # P(no change); None where the task was not tested
    above: float  # P(p_B > p_A)
    below: float  # P(p_B < p_A)
    shift: float  # mean of p_B - p_A
    flagged: bool  # beyond noise


@frozen
class Flips:
    controlled: bool  # false below 50 tested tasks: each task by itself, no multiplicity control, nothing flagged
    unchanged: float | None  # pi0
    tasks: tuple[Flip | None, ...]  # in the order given; None for a task without rows in one of the runs


@frozen
class Move:
    """Tasks that go from one bucket to another: never (no row passes), sometimes, or always (all do)."""

    before: Bucket
    after: Bucket
    share: float  # of all tasks
    points: float  # what they add to the score of B minus that of A


@frozen
class Moves:
    changed: float  # share of tasks with different pass rates
    moves: tuple[Move, ...]  # all nine, those that stay in their bucket among them


def flips(cells: Sequence[Cell]) -> Flips:
    """Local false discovery rate of every task; flagged are as many of the surest as keep their mean lfdr at .10.

    Only tasks with at least two rows in both runs are tested. The others, and all where fewer than 50 can be tested,
    have P(p_B > p_A) under Jeffreys' priors, no lfdr and no flag. Swapping the runs swaps above and below, negates
    shift and leaves the rest.
    """
    for n_a, c_a, n_b, c_b in cells:
        if not (0 <= c_a <= n_a and 0 <= c_b <= n_b):
            raise ValueError(f"{c_a} passes in {n_a} rows, {c_b} in {n_b}")
    common = Counter(cell for cell in cells if cell[0] and cell[2])
    repeated = Counter({cell: tasks for cell, tasks in common.items() if min(cell[0], cell[2]) >= FEWEST_ROWS})
    if tasks_tested(cells) < FEWEST_TASKS:
        alone = {cell: _alone(cell) for cell in common}
        return Flips(controlled=False, unchanged=None, tasks=tuple(alone.get(cell) for cell in cells))
    mirrored = Counter({_mirror(cell): tasks for cell, tasks in repeated.items()})
    swapped = sorted(mirrored.items()) < sorted(repeated.items())
    unchanged, posteriors = _together(mirrored if swapped else repeated)
    if swapped:
        posteriors = {
            _mirror(cell): Flip(flip.lfdr, flip.below, flip.above, -flip.shift, flip.flagged)
            for cell, flip in posteriors.items()
        }
    posteriors |= {cell: _alone(cell) for cell in common.keys() - repeated.keys()}
    return Flips(controlled=True, unchanged=unchanged, tasks=tuple(posteriors.get(cell) for cell in cells))


def tasks_tested(cells: Iterable[Cell]) -> int:
    """Tasks that can be judged: at least two rows in both runs."""
    return sum(min(n_a, n_b) >= FEWEST_ROWS for n_a, _, n_b, _ in cells)


@lru_cache(maxsize=4_096)
def jeffreys_above(n_a: int, c_a: int, n_b: int, c_b: int) -> tuple[float, float]:
    """P(p_B > p_A) and P(p_B < p_A), the rates being Beta(c + 1/2, n - c + 1/2).

    The integral of one's density times the other's tail runs over phi with p = sin^2 phi, where both are smooth.
    """
    if (n_a, c_a) == (n_b, c_b):
        return 0.5, 0.5
    if (n_a, c_a) < (n_b, c_b):
        below, above = jeffreys_above(n_b, c_b, n_a, c_a)
        return above, below
    centre, reach = math.asin(math.sqrt((c_a + 0.5) / (n_a + 1.0))), 8.0 / math.sqrt(n_a + 1.0)
    low, high = max(centre - reach, 0.0), min(centre + reach, math.pi / 2.0)
    nodes, weights = _gauss_legendre()
    phi = (low + high + (high - low) * nodes) / 2.0
    logs = 2.0 * (c_a * np.log(np.sin(phi)) + (n_a - c_a) * np.log(np.cos(phi)))
    density = weights * np.exp(logs - logs.max())
    beyond = special.betaincc(c_b + 0.5, n_b - c_b + 0.5, np.sin(phi) ** 2)
    above = float(np.dot(density, beyond) / density.sum())
    return above, 1.0 - above


def observed_moves(cells: Sequence[Cell]) -> Moves | None:
    """What moved between the buckets; None without common tasks."""
    tasks = Counter(cell for cell in cells if cell[0] and cell[2])
    return _moves((cell, count / tasks.total()) for cell, count in tasks.items())


def expected_moves(repeats: Mapping[tuple[int, int], int], a: float, b: float) -> Moves | None:
    """What would move if no rate had changed: rates from Beta(a, b), fitted to the pooled rows of both runs.

    `repeats` counts the tasks with n_A and n_B rows. The chance of i and j passes is
    C(n_A, i) C(n_B, j) B(a + i + j, b + n_A + n_B - i - j) / B(a, b). None without tasks that have rows in both runs.
    """
    common = {shape: tasks for shape, tasks in repeats.items() if min(shape) > 0 and tasks}
    parts: list[tuple[Cell, float]] = []
    for (n_a, n_b), tasks in common.items():
        i, j = np.arange(n_a + 1)[:, None], np.arange(n_b + 1)[None, :]
        log_ways = _log_choose(n_a, i) + _log_choose(n_b, j)
        chances = np.exp(log_ways + special.betaln(a + (i + j), b + (n_a + n_b - i - j)) - special.betaln(a, b))
        share = tasks / sum(common.values())
        parts += [((n_a, k[0], n_b, k[1]), share * float(chance)) for k, chance in np.ndenumerate(chances)]
    return _moves(parts)


def changed_by_chance(cells: Sequence[Cell]) -> float | None:
    """Share of the common tasks whose pass rate would differ if no task had changed.

    The rates of each run are fitted to its own rows, so that what differs between the runs is no part of it; the mean
    of both, or the one that has an estimate. A run has one if at least half of its tasks have two rows or more, and
    some rows pass and some do not. None where neither has: without repeats the noise is not known.
    """
    common = [cell for cell in cells if cell[0] and cell[2]]
    repeats = Counter((n_a, n_b) for n_a, _, n_b, _ in common)
    shares = []
    for rows in ([cell[:2] for cell in common], [cell[2:] for cell in common]):
        enough = 2 * sum(n >= FEWEST_ROWS for n, _ in rows) >= len(rows)
        rates = betabinomial.fit(Counter(rows)) if enough else None
        moves = expected_moves(repeats, rates.a, rates.b) if rates else None
        shares += [moves.changed] if moves else []
    return math.fsum(shares) / len(shares) if shares else None


def _moves(parts: Iterable[tuple[Cell, float]]) -> Moves | None:
    shares: defaultdict[tuple[Bucket, Bucket], list[float]] = defaultdict(list)
    points: defaultdict[tuple[Bucket, Bucket], list[float]] = defaultdict(list)
    changed = []
    for (n_a, c_a, n_b, c_b), share in parts:
        direction = _bucket(n_a, c_a), _bucket(n_b, c_b)
        shares[direction].append(share)
        points[direction].append(share * (c_b / n_b - c_a / n_a))
        changed.append(share if c_a * n_b != c_b * n_a else 0.0)
    if not changed:
        return None
    names: tuple[Bucket, ...] = ("never", "sometimes", "always")
    directions = ((x, y) for x in names for y in names)
    return Moves(
        math.fsum(changed),
        tuple(Move(*direction, math.fsum(shares[direction]), math.fsum(points[direction])) for direction in directions),
    )


def _bucket(n: int, c: int) -> Bucket:
    return "never" if c == 0 else "always" if c == n else "sometimes"


def _log_choose(n: int, k: npt.NDArray[np.int64]) -> Floats:
    return np.asarray(special.gammaln(n + 1) - (special.gammaln(k + 1) + special.gammaln(n - k + 1)))


def _alone(cell: Cell) -> Flip:
    n_a, c_a, n_b, c_b = cell
    above, below = jeffreys_above(*cell)
    return Flip(None, above, below, (c_b + 0.5) / (n_b + 1.0) - (c_a + 0.5) / (n_a + 1.0), flagged=False)


def _together(common: Counter[Cell]) -> tuple[float, dict[Cell, Flip]]:
    """EM over the distinct cells: pi0, and what is known of a task in each of them."""
    cells = sorted(common)
    tasks = np.array([common[cell] for cell in cells], dtype=np.float64)
    n_a, c_a, n_b, c_b = np.array(cells, dtype=np.float64).T
    rates = np.sin(np.pi * (np.arange(GRID) + 0.5) / (2 * GRID)) ** 2
    first, second = _likelihood(n_a, c_a, rates), _likelihood(n_b, c_b, rates)
    joint = first * second
    unchanged, g_0, g_a, g_b = 0.9, *np.full((3, GRID), 1.0 / GRID)
    for _ in range(ROUNDS):
        like_0, like_a, like_b = joint @ g_0, first @ g_a, second @ g_b
        lfdr = unchanged * like_0 / (unchanged * like_0 + (1.0 - unchanged) * like_a * like_b)
        unmoved, moved = tasks * lfdr, tasks * (1.0 - lfdr)
        before = np.concatenate(([unchanged], g_0, g_a, g_b))
        unchanged = (float(unmoved.sum()) + 9.0) / (float(tasks.sum()) + 10.0)  # the mode under a Beta(10, 2) prior
        g_0 = _updated(g_0, joint, unmoved / np.maximum(like_0, 1e-300), 1.0 / GRID)
        g_a, g_b = _updated(g_a, first, moved / like_a, 1.0), _updated(g_b, second, moved / like_b, 1.0)
        if np.abs(np.concatenate(([unchanged], g_0, g_a, g_b)) - before).max() < 1e-7:
            break
    like_0, like_a, like_b = joint @ g_0, first @ g_a, second @ g_b
    lfdr = _rounded(unchanged * like_0 / (unchanged * like_0 + (1.0 - unchanged) * like_a * like_b))
    a, b = first * g_a / like_a[:, None], second * g_b / like_b[:, None]
    above = (1.0 - lfdr) * (b[:, 1:] * np.cumsum(a, axis=1)[:, :-1]).sum(axis=1)
    below = (1.0 - lfdr) * (a[:, 1:] * np.cumsum(b, axis=1)[:, :-1]).sum(axis=1)
    shift = (1.0 - lfdr) * (b @ rates - a @ rates)
    columns = (x.tolist() for x in (lfdr, *map(_rounded, (above, below, shift)), _flagged(lfdr, tasks)))
    return significant(unchanged, FITTED), {cell: Flip(*row) for cell, *row in zip(cells, *columns, strict=True)}


def _rounded(fitted: Floats) -> Floats:
    return np.array([significant(value, FITTED) for value in fitted.tolist()])


def _likelihood(n: Floats, c: Floats, rates: Floats) -> Floats:
    """p^c (1-p)^(n-c), up to a factor per cell."""
    logs = c[:, None] * np.log(rates) + (n - c)[:, None] * np.log1p(-rates)
    return np.asarray(np.exp(logs - logs.max(axis=1, keepdims=True)))


def _updated(g: Floats, likelihood: Floats, weights: Floats, prior_weight: float) -> Floats:
    """The M step: expected tasks at each rate, and a little more at each."""
    expected = g * (weights @ likelihood) + prior_weight
    return np.asarray(expected / expected.sum())


def _flagged(lfdr: Floats, tasks: Floats) -> npt.NDArray[np.bool_]:
    """The largest set of the surest tasks with a mean lfdr of at most .10; equal ones are in or out together."""
    order = np.argsort(lfdr, kind="stable")
    running = np.cumsum((lfdr * tasks)[order]) / np.cumsum(tasks[order])
    last = np.append(np.diff(lfdr[order]) > 0, values=True)
    sure = lfdr[order][last & (running <= TARGET)]
    return lfdr <= (sure[-1] if len(sure) else -1.0)


def _mirror(cell: Cell) -> Cell:
    return cell[2], cell[3], cell[0], cell[1]


@lru_cache(maxsize=1)
def _gauss_legendre() -> tuple[Floats, Floats]:
    return np.polynomial.legendre.leggauss(128)
