"""The few numbers of a run that can be told at any time and at any size: score with bounds, coverage, buckets."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from blade.counting.metrics import MOST_K
from blade.counting.totals import SLICE
from blade.stats import intervals, rates


@dataclass(frozen=True, slots=True)
class SliceLevel:
    """One value of a task property."""

    field: str
    value: str
    tasks: int
    rollouts: int
    score: float


@dataclass(frozen=True, slots=True)
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
    many, n, total = (tasks[name].to_numpy().astype(np.float64) for name in ("count", "n", "total"))
    seen = n > 0
    found: dict[str, Any] = {
        name: int((tasks[name] * tasks["count"]).sum()) for name in ("rollouts", "copies", "broken")
    }
    graded, count = int((many * n).sum()), int(many[seen].sum())
    found |= {"graded": graded, "tasks": count}
    if count:
        means = total[seen] / n[seen]
        score = float((many[seen] * means).sum() / count)
        found["score"] = score
        spread = float((many[seen] * (means - score) ** 2).sum() / (count - 1)) if count > 1 else None
        se = None if spread is None else math.sqrt(spread / count)
        if tasks["unit"].all():
            found["interval"] = intervals.wilson_t(min(max(score, 0.0), 1.0), count, graded, se)
    found |= _expected(tasks, many, n, total)
    if threshold is not None or tasks["binary"].all():
        found |= _passes(tasks)
    return Summary(**found, slices=_slices(tasks))


def _expected(tasks: pl.DataFrame, many: Any, n: Any, total: Any) -> dict[str, Any]:
    if tasks["expected"].null_count() == tasks.height:
        return {}
    wanted = tasks["expected"].fill_null(0).to_numpy().astype(np.float64)
    full = np.maximum(n, wanted)
    here = full > 0
    weight = many[here].sum()
    low = float((many[here] * total[here] / full[here]).sum() / weight)
    high = np.minimum((total[here] + full[here] - n[here]) / full[here], 1.0)
    return {
        "expected": int((many * wanted).sum()),
        "coverage": float((many * np.minimum(n, wanted)).sum() / (many * wanted).sum()),
        "bounds": (low, float((many[here] * high).sum() / weight)) if tasks["unit"].all() else None,
    }


def _passes(tasks: pl.DataFrame) -> dict[str, Any]:
    tally: Counter[tuple[int, int]] = Counter()
    for n, passes, many in tasks.select("n", "passes", "count").iter_rows():
        tally[n, passes] += many
    tally.pop((0, 0), None)
    most = max((n for n, _ in tally), default=0)
    at_k = {k: rates.mean_pass_at_k(tally, k)[0] for k in range(1, min(most, MOST_K) + 1)}
    buckets = Counter[str]()
    for (n, passes), many in tally.items():
        buckets["always" if passes == n else "never" if passes == 0 else "sometimes"] += many
    found = {name: buckets[name] for name in ("always", "sometimes", "never")}
    return {"pass_at_k": {k: value for k, value in at_k.items() if value is not None}, "buckets": found}


def _slices(tasks: pl.DataFrame) -> tuple[SliceLevel, ...]:
    found = []
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
        found += [SliceLevel(column.removeprefix(SLICE), *row) for row in levels.iter_rows()]
    return tuple(found)
