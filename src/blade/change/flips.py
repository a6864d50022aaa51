"""Tasks that moved between the runs, and how many would have moved by chance alone."""

from __future__ import annotations

from collections import Counter
from typing import Any

import polars as pl

from blade.change.pair import Pair
from blade.stats import betabinomial, flips

MOST = 1000
Cell = tuple[int, int, int, int]


def task_flips(pair: Pair) -> list[dict[str, Any]]:
    """Every common task whose pass rate differs: those beyond noise first, then the largest moves."""
    cells = _cells(pair)
    found = flips.flips(list(cells.values())) if cells else None
    if found is None:
        return []
    made: list[dict[str, Any]] = []
    for (task, (n_a, c_a, n_b, c_b)), flip in zip(cells.items(), found.tasks, strict=True):
        if flip is None or c_a * n_b == c_b * n_a:
            continue
        made.append(
            {
                "task": pair.label(task),
                "base": [c_a, n_a],
                "candidate": [c_b, n_b],
                "lfdr": flip.lfdr,
                "beyond_noise": flip.flagged,
                "shift": flip.shift,
                "probability_up": flip.above,
            },
        )
    made.sort(key=lambda flip: (not flip["beyond_noise"], -abs(flip["shift"]), flip["task"]))
    return made[:MOST]


def expected_flips(pair: Pair) -> dict[str, Any] | None:
    """Observed moves between buckets next to those that chance alone would give."""
    cells = list(_cells(pair).values())
    observed = flips.observed_moves(cells)
    if observed is None:
        return None
    pooled = betabinomial.fit(Counter((n_a + n_b, c_a + c_b) for n_a, c_a, n_b, c_b in cells))
    chance = (
        flips.expected_moves(Counter((n_a, n_b) for n_a, _, n_b, _ in cells), pooled.a, pooled.b) if pooled else None
    )
    return {
        "tasks": len(cells),
        "counted": counted(pair),
        "changed": observed.changed,
        "changed_by_chance": chance.changed if chance else None,
        "controlled": len(cells) >= flips.FEWEST_TASKS,
    }


def counted(pair: Pair) -> str:
    """What is counted: passes where both runs say what one is, else full scores where the scale has them."""
    if pair.base.rule.threshold is not None and pair.candidate.rule.threshold is not None:
        return "passes"
    tops = [frame["reward"].max() for frame in (pair.a, pair.b) if not frame.is_empty()]
    return "full scores" if len(tops) == 2 and tops[0] == tops[1] == 1.0 else ""


def _cells(pair: Pair) -> dict[str, Cell]:
    """(n, passes) of both runs per common task; empty where nothing can be counted."""
    what = counted(pair)
    if not what:
        return {}
    good = pl.col("passed") if what == "passes" else pl.col("reward") >= 1.0
    left, right = _counts(pair.a, good), _counts(pair.b, good)
    return {task: (*left[task], *right[task]) for task in pair.common}


def _counts(frame: pl.DataFrame, good: pl.Expr) -> dict[str, tuple[int, int]]:
    grouped = frame.group_by("key").agg(pl.len().alias("n"), good.sum().alias("c"))
    return {key: (int(n), int(c)) for key, n, c in grouped.rows()}
