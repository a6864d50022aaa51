"""The few numbers of a run that can be told at any time and at any size: score with bounds, coverage, buckets."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import polars as pl

from blade.counting.metrics import MOST_K
from blade.counting.totals import SLICE
from blade.frozen import frozen
from blade.stats import intervals, rates


@frozen
class SliceLevel:
    """One value of a task property."""

    field: str
    value: str
    tasks: int
    rollouts: int
    score: float


@frozen
class Summary:
    """What is known of a run so far. `bounds` are the scores if all that is missing failed, and if all passed."""

    rollouts: int = 0
    copies: int = 0
    graded: int = 0
    tasks: int = 0
    score: float | None = None
    interval: tuple[float, float] | None = None
    expected: int | None = None
    coverage: float | None = None
    bounds: tuple[float, float] | None = None
    pass_at_k: dict[int, float] | None = None
    buckets: dict[str, int] | None = None
    broken: int = 0
    slices: tuple[SliceLevel, ...] = ()
    alarm: str = ""


def summarize(tasks: pl.DataFrame, threshold: float | None = None) -> Summary:
    """From tasks that were gathered (`totals.gather`): many that came out alike are one row."""
    if not tasks.height:
        return Summary()
    weights, n, total = (tasks[name].to_numpy().astype(np.float64) for name in ("count", "n", "total"))
    has_rows = n > 0
    values: dict[str, Any] = {
        name: int((tasks[name] * tasks["count"]).sum()) for name in ("rollouts", "copies", "broken")
    }
    graded, count = int((weights * n).sum()), int(weights[has_rows].sum())
    values |= {"graded": graded, "tasks": count}
    if count:
        means = total[has_rows] / n[has_rows]
        score = float((weights[has_rows] * means).sum() / count)
        values["score"] = score
        spread = float((weights[has_rows] * (means - score) ** 2).sum() / (count - 1)) if count > 1 else None
        se = None if spread is None else math.sqrt(spread / count)
        if tasks["unit"].all():
            values["interval"] = intervals.wilson_t(min(max(score, 0.0), 1.0), count, graded, se)
    values |= _expected(tasks, weights, n, total)
    if threshold is not None or tasks["binary"].all():
        values |= _passes(tasks)
    return Summary(**values, slices=_slices(tasks))


def _expected(tasks: pl.DataFrame, weights: Any, n: Any, total: Any) -> dict[str, Any]:
    if tasks["expected"].null_count() == tasks.height:
        return {}
    expected_rows = tasks["expected"].fill_null(0).to_numpy().astype(np.float64)
    full = np.maximum(n, expected_rows)
    has_expected = full > 0
    weight = weights[has_expected].sum()
    low = float((weights[has_expected] * total[has_expected] / full[has_expected]).sum() / weight)
    high = np.minimum((total[has_expected] + full[has_expected] - n[has_expected]) / full[has_expected], 1.0)
    return {
        "expected": int((weights * expected_rows).sum()),
        "coverage": float((weights * np.minimum(n, expected_rows)).sum() / (weights * expected_rows).sum()),
        "bounds": (low, float((weights[has_expected] * high).sum() / weight)) if tasks["unit"].all() else None,
    }


def _passes(tasks: pl.DataFrame) -> dict[str, Any]:
    tally: Counter[tuple[int, int]] = Counter()
    for n, passes, tasks_alike in tasks.select("n", "passes", "count").iter_rows():
        tally[n, passes] += tasks_alike
    tally.pop((0, 0), None)
    top_n = max((n for n, _ in tally), default=0)
    at_k = {k: rates.mean_pass_at_k(tally, k)[0] for k in range(1, min(top_n, MOST_K) + 1)}
    buckets = Counter[str]()
    for (n, passes), tasks_alike in tally.items():
        buckets["always" if passes == n else "never" if passes == 0 else "sometimes"] += tasks_alike
    bucket_counts = {name: buckets[name] for name in ("always", "sometimes", "never")}
    return {"pass_at_k": {k: value for k, value in at_k.items() if value is not None}, "buckets": bucket_counts}


def _slices(tasks: pl.DataFrame) -> tuple[SliceLevel, ...]:
    levels_found = []
    for column in (name for name in tasks.columns if name.startswith(SLICE)):
        mean = pl.col("total") / pl.col("n")
        levels = (
            tasks.filter((pl.col("n") > 0) & pl.col(column).is_not_null())
            .group_by(pl.col(column).alias("level"))
            .agg(
                pl.col("count").sum().alias("tasks"),
                (pl.col("n") * pl.col("count")).sum().alias("rows"),
                ((mean * pl.col("count")).sum() / pl.col("count").sum()).alias("score"),
            )
            .sort("level")
        )
        levels_found += [SliceLevel(column.removeprefix(SLICE), *row) for row in levels.iter_rows()]
    return tuple(levels_found)
