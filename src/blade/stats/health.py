"""Is the benchmark itself sound? Gold answers, verifiers, tasks that tell nothing, and rows that depend on their order.

Each function looks at counts only. What the data cannot tell is None.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from blade.frozen import frozen
from blade.stats.betabinomial import prob_rate_above
from blade.stats.quantiles import tied_groups
from blade.stats.scipy_functions import special

TOP_WRONG_SHARE = 0.3  # of wrong answers, the share of the most frequent one, where the benchmark does not tell
PRIOR = 0.02  # that a gold answer is wrong
FEWEST_VECTORS = 8
CEILING = 0.6


@frozen
class Vote:
    """How one model answers one task."""

    accuracy: float  # on the other tasks
    wrong: float  # share of its repeats that give the modal wrong answer
    gold: float  # share that give the gold answer
    family: int = 1  # models of its family that vote: each has 1 / family of a vote


@frozen
class SuspectGold:
    llr: float
    posterior: float
    flagged: bool  # posterior above one half


@frozen
class Flakiness:
    pairs: int  # of gradings of the same output
    disagreeing: int
    rate: float  # D = disagreeing / pairs
    flip_rate: float  # of one grading: (1 - sqrt(1 - 2D)) / 2, one half where D is above that


@frozen
class Saturation:
    tasks: int
    saturated: int  # P(rate > .95) > .9 under Jeffreys' prior
    share: float
    ceiling: bool  # share above 60 %
    headroom: float  # 1 - any@n: tasks never passed


@frozen
class ItemRest:
    correlation: float | None  # None where the item, or the rest, is constant or seen too seldom
    p: float | None  # two-sided, t with n - 2 degrees of freedom
    flagged: bool  # negative with p < .01


@frozen
class OrderTrend:
    correlation: float  # of ranks
    p: float  # two-sided


def suspect_gold(votes: Sequence[Vote], *, top_wrong_share: float = TOP_WRONG_SHARE) -> SuspectGold | None:
    """LLR = sum (wrong - gold) log(a / ((1 - a) s)) / family, a clipped to .05-.95; None without votes.

    The posterior starts from 2 %: a lone model cannot flag a gold answer unless it is right nearly always.
    """
    if not votes:
        return None
    terms = []
    for vote in votes:
        a = min(max(vote.accuracy, 0.05), 0.95)
        terms.append((vote.wrong - vote.gold) * math.log(a / ((1.0 - a) * top_wrong_share)) / vote.family)
    llr = math.fsum(terms)
    posterior = float(special.expit(llr + special.logit(PRIOR)))
    return SuspectGold(llr, posterior, posterior > 0.5)


def top_wrong_share(wrong_answers: Sequence[Sequence[int]]) -> float:
    """Mean over tasks of the top wrong answer's share, from the counts of each wrong answer; .3 without any."""
    shares = [max(counts) / sum(counts) for counts in wrong_answers if sum(counts)]
    return math.fsum(shares) / len(shares) if shares else TOP_WRONG_SHARE


def flakiness(groups: Sequence[tuple[int, int]]) -> Flakiness | None:
    """From (gradings, passes) of each output graded more than once in a run: D = sum c(n-c) / sum n(n-1)/2; or None."""
    pairs = sum(math.comb(n, 2) for n, _ in groups)
    if not pairs:
        return None
    disagreeing = sum(c * (n - c) for n, c in groups)
    rate = disagreeing / pairs
    return Flakiness(pairs, disagreeing, rate, (1.0 - math.sqrt(max(1.0 - 2.0 * rate, 0.0))) / 2.0)


def zero_variance_tasks(tasks: Mapping[str, Sequence[tuple[int, int]]]) -> tuple[str, ...]:
    """Tasks that tell nothing in a comparison: all rows failed in every run, or all passed. Runs are (rows, passes).

    A task that always fails in one run and always passes in the other tells most, and is not among them.
    """
    totals = {task: (sum(n for n, _ in runs), sum(c for _, c in runs)) for task, runs in tasks.items()}
    return tuple(sorted(task for task, (n, c) in totals.items() if n and c in {0, n}))


def saturation(tasks: Sequence[tuple[int, int]]) -> Saturation | None:
    """How many tasks are solved for good, from their (rows, passes); None without rows.

    It takes 27 rows without a fail: after five out of five, a rate above .95 has a chance of 54 %. So pool the runs.
    """
    tasks_with_rows = [(n, c) for n, c in tasks if n]
    if not tasks_with_rows:
        return None
    saturated = sum(prob_rate_above(n, c, 0.95, 0.5, 0.5) > 0.9 for n, c in tasks_with_rows)
    share = saturated / len(tasks_with_rows)
    return Saturation(
        len(tasks_with_rows),
        saturated,
        share,
        share > CEILING,
        sum(c == 0 for _, c in tasks_with_rows) / len(tasks_with_rows),
    )


def item_rest(responses: npt.ArrayLike, *, fewest: int = FEWEST_VECTORS) -> tuple[ItemRest, ...]:
    """Correlation of each item with the mean of the other items, over response vectors (the rows of the matrix).

    NaN is a response that is not there. Items with fewer than eight vectors get no correlation.
    """
    matrix = np.asarray(responses, dtype=np.float64)
    if matrix.size == 0:
        return ()
    present = ~np.isnan(matrix)
    filled = np.where(present, matrix, 0.0)
    other_items = present.sum(axis=1, keepdims=True) - present
    rest_mean = (filled.sum(axis=1, keepdims=True) - filled) / np.maximum(other_items, 1)
    used = present & (other_items > 0)
    return tuple(
        _correlation(matrix[used[:, item], item], rest_mean[used[:, item], item], fewest)
        for item in range(matrix.shape[1])
    )


def order_trend(values: Sequence[float], places: Sequence[float] = ()) -> OrderTrend | None:
    """Rank correlation of values with their places. None below three, or if all are equal.

    Difficulty may follow the order of tasks: give what does not depend on the task, such as residuals.

    p is normal: over all orders the correlation has mean 0 and variance 1 / (n - 1), ties or not.
    """
    row = np.asarray(values, dtype=np.float64)
    n = len(row)
    if n < 3 or bool((row == row[0]).all()):
        return None
    ranks = _centred_ranks(row)
    order = _centred_ranks(np.asarray(places, dtype=np.float64)) if len(places) else np.arange(n) - (n - 1) / 2.0
    spread = math.sqrt(float(ranks @ ranks) * float(order @ order))
    if not spread:
        return None
    r = float(ranks @ order / spread)
    return OrderTrend(r, math.erfc(abs(r) * math.sqrt((n - 1) / 2.0)))


def _centred_ranks(row: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Ranks about their mean; equal values share one."""
    inverse, copies = tied_groups(row)
    return (np.cumsum(copies) - (copies - 1) / 2.0)[inverse] - (len(row) + 1) / 2.0


def _correlation(x: npt.NDArray[np.float64], y: npt.NDArray[np.float64], fewest: int) -> ItemRest:
    if len(x) < max(fewest, 3) or np.ptp(x) < 1e-12 or np.ptp(y) < 1e-12:
        return ItemRest(None, None, flagged=False)
    dx, dy = x - x.mean(), y - y.mean()
    r = float(np.clip((dx @ dy) / math.sqrt(float(dx @ dx) * float(dy @ dy)), -1.0, 1.0))
    df = len(x) - 2
    p = float(2.0 * special.stdtr(df, -abs(r) * math.sqrt(df / (1.0 - r * r)))) if abs(r) < 1.0 else 0.0
    return ItemRest(r, p, flagged=r < 0 and p < 0.01)
