"""Rates and scores from per-task counts.

A task is the pair (n, c): n rows, of which c passed. Where scores are not 0 or 1 the pair is (n, sum of the scores).
Many tasks are a sequence of such pairs, or a mapping from the pair to the number of tasks that have it; with a mapping
the cost does not depend on the number of tasks. Tasks without rows count only where rows were expected of them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

Tally: TypeAlias = Mapping[tuple[int, int], int] | Sequence[tuple[int, int]]
"""Tasks as (rows, passes)."""

Totals: TypeAlias = Tally | Mapping[tuple[int, float], int] | Sequence[tuple[int, float]]
"""Tasks as (rows, sum of scores)."""

EXACT_UP_TO = 1000
"""Binomial coefficients are exact integers up to this many rows per task, products of ratios beyond."""


def pass_at_k(n: int, c: int, k: int) -> float | None:
    """Chance that k of the n rows hold at least one pass: 1 - C(n-c, k) / C(n, k); None if n < k."""
    _check(n, c, k)
    if n < k:
        return None
    if n <= EXACT_UP_TO:
        subsets = math.comb(n, k)
        return (subsets - math.comb(n - c, k)) / subsets
    return 1.0 - _share_of_subsets(n, n - c, k)


def pass_hat_k(n: int, c: int, k: int) -> float | None:
    """Chance that k of the n rows are all passes: C(c, k) / C(n, k); 0 if c < k, None if n < k."""
    _check(n, c, k)
    if n < k:
        return None
    if n <= EXACT_UP_TO:
        return math.comb(c, k) / math.comb(n, k)
    return _share_of_subsets(n, c, k)


def best_of_k(values: Sequence[float], k: int) -> float | None:
    """Mean over all k-subsets of the best score: sum of y_(i) C(i-1, k-1) / C(n, k); None if n < k."""
    n = len(values)
    _check(n, 0, k)
    if n < k:
        return None
    ordered = sorted(values)
    best = math.fsum(y * w for y, w in zip(ordered, _order_weights(n, k), strict=True))
    return min(max(best, ordered[0]), ordered[-1])


def mean_pass_at_k(tasks: Tally, k: int) -> tuple[float | None, int]:
    """Mean pass@k and the number of tasks it rests on: those with at least k rows."""
    return _mean((pass_at_k(n, c, k), copies) for (n, c), copies in _tasks(tasks))


def mean_pass_hat_k(tasks: Tally, k: int) -> tuple[float | None, int]:
    """Mean pass^k and the number of tasks it rests on: those with at least k rows."""
    return _mean((pass_hat_k(n, c, k), copies) for (n, c), copies in _tasks(tasks))


def mean_best_of_k(tasks: Iterable[Sequence[float]], k: int) -> tuple[float | None, int]:
    """Mean best-of-k over tasks given as their scores, and the number of tasks with at least k of them."""
    return _mean((best_of_k(values, k), 1) for values in tasks)


def any_at_n(tasks: Tally) -> float | None:
    """Share of tasks with at least one pass. It grows with n: comparable only where n is equal."""
    return _mean((float(c > 0), copies) for (n, c), copies in _tasks(tasks) if n)[0]


def consistency(tasks: Tally) -> float | None:
    """Share of tasks in which every row passed. It falls with n: comparable only where n is equal."""
    return _mean((float(c == n), copies) for (n, c), copies in _tasks(tasks) if n)[0]


def flakiness(tasks: Tally) -> float | None:
    """Chance that two rows of a task disagree: mean of 2c(n-c) / (n(n-1)) over tasks with two rows or more."""
    return _mean((2 * c * (n - c) / (n * (n - 1)), copies) for (n, c), copies in _tasks(tasks) if n > 1)[0]


def retry_value(tasks: Tally, k: int) -> tuple[float | None, int]:
    """Gain from k tries, pass@k - pass@1, both over the tasks with at least k rows; and the number of those."""
    enough = {pair: copies for pair, copies in _tasks(tasks) if pair[0] >= k}
    (many_tries, used), (one_try, _) = mean_pass_at_k(enough, k), mean_pass_at_k(enough, 1)
    return (None if many_tries is None or one_try is None else many_tries - one_try), used


def macro(tasks: Totals) -> float | None:
    """Mean over tasks of the task's mean score: every task weighs the same; None without rows."""
    return _mean((total / n, copies) for (n, total), copies in _sums(tasks) if n)[0]


def micro(tasks: Totals) -> float | None:
    """Mean over rows: a task weighs as much as it has rows; None without rows."""
    cells = list(_sums(tasks))
    rows = sum(n * copies for (n, _), copies in cells)
    return math.fsum(total * copies for (_, total), copies in cells) / rows if rows else None


def coverage(tasks: Sequence[tuple[int, float]], expected: int | Sequence[int]) -> float | None:
    """Rows there are / rows expected. Rows in excess are duplicates and do not count; None if none was expected."""
    expected_rows = _expected(tasks, expected)
    present_rows = sum(min(n, k) for (n, _), k in zip(tasks, expected_rows, strict=True))
    return present_rows / sum(expected_rows) if any(expected_rows) else None


def zero_fill(tasks: Sequence[tuple[int, float]], expected: int | Sequence[int]) -> float | None:
    """Score if every missing row scored 0: mean of sum / K. A task with more rows than expected has K = n."""
    return _mean((total / k, 1) for _, total, k in _filled(tasks, expected))[0]


def bounds(tasks: Sequence[tuple[int, float]], expected: int | Sequence[int]) -> tuple[float, float] | None:
    """Score if every missing row scored 0, and if every one scored 1 (Manski); None if no row is expected.

    With K rows expected of a task, n there and scores between 0 and 1: the means of sum / K and (sum + K - n) / K.
    A task with more rows than expected has K = n. Sums outside 0..n have no such bounds: ValueError.
    """
    filled = _filled(tasks, expected)
    for n, total, _ in filled:
        if not -1e-9 <= total <= n + 1e-9 * max(n, 1):
            raise ValueError(f"bounds need scores between 0 and 1: a task has {n} rows with sum {total}")
    low, _ = _mean((total / k, 1) for _, total, k in filled)
    high, _ = _mean((min((total + k - n) / k, 1.0), 1) for n, total, k in filled)
    return None if low is None or high is None else (low, high)


def _check(n: int, c: int, k: int) -> None:
    if k < 1:
        raise ValueError(f"k is {k}; it counts tries and starts at 1")
    if not 0 <= c <= n:
        raise ValueError(f"{c} passes in {n} rows")


def _share_of_subsets(n: int, m: int, k: int) -> float:
    """C(m, k) / C(n, k) as the shorter of two products of ratios."""
    if m < k:
        return 0.0
    if k <= n - m:
        return math.prod((m - j) / (n - j) for j in range(k))
    return math.prod(1.0 - k / i for i in range(m + 1, n + 1))


@lru_cache(maxsize=256)
def _order_weights(n: int, k: int) -> tuple[float, ...]:
    """C(i-1, k-1) / C(n, k) for i = 1..n: how often the i-th smallest is the best of k."""
    if n <= EXACT_UP_TO:
        subsets = math.comb(n, k)
        return tuple(math.comb(i - 1, k - 1) / subsets for i in range(1, n + 1))
    weights = [0.0] * n
    weights[-1] = k / n
    for i in range(n, k, -1):
        weights[i - 2] = weights[i - 1] * (i - k) / (i - 1)
    return tuple(weights)


def _tasks(tasks: Tally) -> Iterable[tuple[tuple[int, int], int]]:
    return (tasks if isinstance(tasks, Mapping) else Counter(tasks)).items()


def _sums(tasks: Totals) -> Iterable[tuple[tuple[int, float], int]]:
    return (tasks if isinstance(tasks, Mapping) else Counter(tasks)).items()


def _mean(parts: Iterable[tuple[float | None, int]]) -> tuple[float | None, int]:
    """Weighted mean of what is not None, and the sum of its weights."""
    known_values = [(value, copies) for value, copies in parts if value is not None]
    used = sum(copies for _, copies in known_values)
    return (math.fsum(value * copies for value, copies in known_values) / used if used else None), used


def _expected(tasks: Sequence[tuple[int, float]], expected: int | Sequence[int]) -> Sequence[int]:
    return [expected] * len(tasks) if isinstance(expected, int) else expected


def _filled(tasks: Sequence[tuple[int, float]], expected: int | Sequence[int]) -> list[tuple[int, float, int]]:
    """(n, sum, K) of every task that has or should have rows."""
    expected_rows = zip(tasks, _expected(tasks, expected), strict=True)
    return [(n, total, max(n, k)) for (n, total), k in expected_rows if n or k > 0]
