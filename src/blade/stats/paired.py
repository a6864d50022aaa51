"""Whether the score changed between two runs of the same tasks.

Two targets, kept apart. The permutation p-values speak of these very tasks and new rows; the paired t interval speaks
of new tasks of the same kind, and is wider. Runs come as one sequence of scores per task, in the same task order;
tasks without rows in one of the runs are left out. Swapping the runs negates changes, mirrors intervals and leaves
p-values, errors and verdicts as they are, to the last digit; so does any order of tasks and rows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Literal, TypeAlias

from blade.frozen import frozen
from blade.stats.intervals import t_interval, unanimous_interval
from blade.stats.permutation import (
    Pair,
    Scores,
    common_pairs,
    drawn_p,
    exact_change_p,
    exact_churn_p,
    unordered,
)
from blade.stats.power import mde, true_change_variance
from blade.stats.scipy_functions import special

Method: TypeAlias = Literal["exact", "drawn"]
Word: TypeAlias = Literal["real", "noise", "inconclusive", "not_comparable"]

ALPHA = 0.05
FEWEST_TASKS = 5
SAME_RUNS = "On every common task both runs have the same outputs with the same scores: nothing changed."


@frozen
class MeanChange:
    """A mean change and what is known of it. None is what the tasks cannot tell."""

    delta: float
    se: float | None  # None with too few tasks
    t: float | None  # delta / se; None also where se is 0
    p: float | None  # two-sided, of t
    interval: tuple[float, float] | None
    df: float | None
    share_changed_at_most: float | None = None  # one-sided 95 % bound, where no task changed: 1 - .05^(1/T)


@frozen
class ChangeVerdict:
    verdict: Word
    reason: str  # one sentence or two; the same for both orders of the runs
    disagree: bool = False  # p and the interval point to different answers


def task_changes(a: Scores, b: Scores) -> list[float]:
    """m_B - m_A of each common task, in the order given."""
    return [_mean(y) - _mean(x) for x, y in common_pairs(a, b)]


def label_permutation(a: Scores, b: Scores, *, seed: int) -> tuple[float | None, Method]:
    """Two-sided p of the mean change over tasks, if a task's rows had been dealt out to the runs at random.

    Exact, by convolution, where all scores are multiples of one step, as passes are; else from 10,000 draws,
    (1 + hits) / 10,001. Changes as large as the one seen count as hits. No common task: None. No change: 1.
    """
    pairs = unordered(common_pairs(a, b))
    return _relabelled(tuple(pairs), seed) if pairs else (None, "exact")


@lru_cache(maxsize=4)
def _relabelled(pairs: tuple[Pair, ...], seed: int) -> tuple[float, Method]:
    """Two-sided p of the mean change. The same scores are asked for again where nothing sets rows apart."""
    exact = exact_change_p(pairs)
    return (_drawn(pairs, seed)[0], "drawn") if exact is None else (exact, "exact")


@lru_cache(maxsize=4)
def _drawn(pairs: tuple[Pair, ...], seed: int) -> tuple[float, float]:
    """Both drawn p-values of the same scores: one series of draws gives that of the mean and that of the churn."""
    return drawn_p(pairs, seed)


def churn(a: Scores, b: Scores, *, seed: int) -> tuple[float, float, float | None]:
    """Q = sum of squared task changes, its mean if labels mean nothing, and P(Q at least as large) under that.

    It sees gains and losses that cancel out in the mean. The mean is sum s^2 (1/n_A + 1/n_B), s^2 the variance of the
    pooled rows. p is exact or drawn as in label_permutation. No common task: 0, 0 and None.
    """
    pairs = unordered(common_pairs(a, b))
    if not pairs:
        return 0.0, 0.0, None
    q = math.fsum((_mean(y) - _mean(x)) ** 2 for x, y in pairs)
    expected = math.fsum(_variance(x + y) * (1 / len(x) + 1 / len(y)) for x, y in pairs)
    exact = exact_churn_p(pairs)
    return q, expected, _drawn(tuple(pairs), seed)[1] if exact is None else exact


def paired_t(d: Sequence[float], reach: float = 1.0) -> MeanChange | None:
    """Mean of the task changes with its t interval, T - 1 degrees of freedom; None without tasks.

    With one task only delta is known. Where all changes are equal, t knows no spread: the interval is then the exact
    one of unanimous_interval, `reach` being the largest change that a task can show (0: not known, no interval).
    """
    if not d:
        return None
    tasks, delta = len(d), math.fsum(d) / len(d)
    if tasks < 2:
        return MeanChange(delta, None, None, None, None, None)
    change = _change(delta, math.sqrt(_variance(d) / tasks), tasks - 1)
    if change.se:
        return change
    interval = unanimous_interval(delta, tasks, reach) if reach else None
    return replace(change, interval=interval, share_changed_at_most=None if delta else 1.0 - 0.05 ** (1.0 / tasks))


def welch(a_means: Sequence[float], b_means: Sequence[float]) -> MeanChange | None:
    """Mean of B minus mean of A for runs on different tasks, by Welch's t; None if a run has no tasks.

    Only delta is known if a run has one task. Where no task mean differs within a run, the interval collapses.
    """
    if not a_means or not b_means:
        return None
    delta = _mean(b_means) - _mean(a_means)
    if min(len(a_means), len(b_means)) < 2:
        return MeanChange(delta, None, None, None, None, None)
    a, b = _variance(a_means) / len(a_means), _variance(b_means) / len(b_means)
    freedom = a**2 / (len(a_means) - 1) + b**2 / (len(b_means) - 1)
    df = (a + b) ** 2 / freedom if freedom > 0 else float(len(a_means) + len(b_means) - 2)
    return _change(delta, math.sqrt(a + b), df)


def omega2(a: Scores, b: Scores) -> float | None:
    """Variance over tasks of the true changes: var(d) - mean(w_A / n_A + w_B / n_B); unbiased, so it may be below 0.

    None below two common tasks, and if all tasks of a run have one row.
    """
    pairs = common_pairs(a, b)
    noise = _noise(pairs)
    return None if noise is None else true_change_variance([_mean(y) - _mean(x) for x, y in pairs], noise)


def fixed_task_se(a: Scores, b: Scores) -> float | None:
    """Standard error of the mean change for these tasks and new rows: sqrt(sum w_A / n_A + w_B / n_B) / T.

    A task with one row takes the mean w of its run's other tasks; None if all tasks of a run have one row. With few
    tasks it is too small, for tasks whose rows are all alike add nothing: rest the p-value on the permutation.
    """
    noise = _noise(common_pairs(a, b))
    return None if noise is None else math.sqrt(math.fsum(noise)) / len(noise)


def visible_change(a: Scores, b: Scores) -> float | None:
    """The smallest change such a pair of runs would show at 5 % with a chance of 80 %: 2.8016 fixed_task_se.

    Where a run has one row in every task, the spread of the task changes stands in for the noise; None below two tasks.
    """
    se = fixed_task_se(a, b)
    if se is None:
        change = paired_t(task_changes(a, b))
        se = None if change is None else change.se
    return None if se is None else mde(1, (se**2, 0.0), (1, 1))


def verdict(
    p: float | None,
    interval: tuple[float, float] | None,
    smallest_visible: float | None,
    common_tasks: int,
    *,
    comparable: bool = True,
    same_outputs: bool = False,
    same_runs: bool = False,
    span: float = 1.0,
) -> ChangeVerdict:
    """Is the change real? p is that of label_permutation, the interval that of paired_t.

    Real: p < .05. Noise: p >= .05 and the interval within the larger of 1 % of the span (the scores' range: 1 pp for
    scores from 0 to 1) and half the smallest visible change. Inconclusive: otherwise, and below 5 common tasks.
    `comparable` is false where no rule ties the tasks of the two runs together; `same_outputs` is true where every
    output is shared and only scores differ, so that no chance is involved: real. `same_runs` is true where every output
    is shared and scored alike: there is no change, and nothing that chance would have to explain.
    """
    if not comparable:
        return ChangeVerdict("not_comparable", "No rule ties the tasks of one run to those of the other.")
    if same_outputs:
        return ChangeVerdict("real", "The runs share every output and differ in scores only: no chance is involved.")
    note_on_runs = f"{SAME_RUNS} " if same_runs else ""
    if common_tasks < FEWEST_TASKS:
        tasks = "The runs have 1 common task" if common_tasks == 1 else f"The runs have {common_tasks} common tasks"
        tasks = tasks if common_tasks else "No task is counted in both runs"
        return ChangeVerdict("inconclusive", f"{note_on_runs}{tasks}; a verdict needs {FEWEST_TASKS}.")
    if same_runs:
        return ChangeVerdict("noise", f"{SAME_RUNS} There is nothing to explain.")
    if p is None or interval is None:
        return ChangeVerdict("inconclusive", "There is no p-value or no interval to judge by.")
    low, high = interval
    odd = low < high and (p < ALPHA) != (low > 0 or high < 0)
    if p < ALPHA:
        note = " Yet the interval includes 0: other tasks of the kind need not have moved." if odd else ""
        return ChangeVerdict("real", f"Chance alone rarely moves these tasks this far ({_chance(p)}).{note}", odd)
    note = " Yet the interval excludes 0: the two do not agree." if odd else ""
    half = smallest_visible / 2.0 if smallest_visible is not None and math.isfinite(smallest_visible) else 0.0
    margin = max(0.01 * span, half)
    is_within = -margin <= low and high <= margin
    size = f"± {100 * margin:.1f} pp" if span == 1.0 else f"± {margin:.3g}"
    explanation = _not_significant(p, size, is_within=is_within, moved=low + high != 0.0)
    return ChangeVerdict("noise" if is_within else "inconclusive", f"{explanation}{note}", odd)


def _not_significant(p: float, size: str, *, is_within: bool, moved: bool) -> str:
    """The reason of a verdict that chance may stand behind; where the mean did not move there is nothing behind it."""
    if not moved:
        remainder = (
            f"and the interval is within {size}"
            if is_within
            else f"but other tasks may: the interval goes beyond {size}"
        )
        return f"The mean did not move ({_chance(p)}), {remainder}."
    if is_within:
        return f"Chance alone can explain it ({_chance(p)}), and the interval is within {size}."
    return f"Chance may explain it ({_chance(p)}), but the interval goes beyond {size}."


def _change(delta: float, se: float, df: float) -> MeanChange:
    t = delta / se if se > 0 else None
    p = None if t is None else 2.0 * float(special.stdtr(df, -abs(t)))
    return MeanChange(delta, se, t, p, t_interval(delta, se, df), df)


def _noise(pairs: Sequence[Pair]) -> list[float] | None:
    """w_A / n_A + w_B / n_B of each task."""
    first, second = _run_noise([x for x, _ in pairs]), _run_noise([y for _, y in pairs])
    return None if first is None or second is None else [v + w for v, w in zip(first, second, strict=True)]


def _run_noise(tasks: Sequence[tuple[float, ...]]) -> list[float] | None:
    variances = [_variance(x) for x in tasks if len(x) > 1]
    if not variances:
        return None
    usual = _mean(variances)
    return [(_variance(x) if len(x) > 1 else usual) / len(x) for x in tasks]


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _variance(values: Sequence[float]) -> float:
    """Sample variance; exactly 0 where the values differ by rounding only."""
    low, high = min(values), max(values)
    if high - low <= 1e-12 * max(abs(low), abs(high)):
        return 0.0
    mean = _mean(values)
    return math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)


def _chance(p: float) -> str:
    return "p < 0.0001" if p < 0.0001 else f"p = {p:.4g}"
