"""Tasks that moved between the runs, and how many would have moved by chance alone."""

from __future__ import annotations

import math
from typing import Any

import polars as pl

from blade.change.pair import Pair
from blade.stats import flips
from blade.stats.rounding import FITTED, significant
from blade.stats.strata import exact_p

MOST = 1000
Cell = tuple[int, int, int, int]


def task_flips(pair: Pair) -> tuple[list[dict[str, Any]], dict[str, Any] | None]:
    """Common tasks whose pass rate differs, those beyond noise first, then the largest moves; and their totals."""
    cells = _cells(pair)
    observed = flips.observed_moves(list(cells.values()))
    if observed is None:
        return [], None
    tested = flips.flips(list(cells.values()))
    moved: list[dict[str, Any]] = []
    for (task, (n_a, c_a, n_b, c_b)), flip in zip(cells.items(), tested.tasks, strict=True):
        if flip is None or c_a * n_b == c_b * n_a:
            continue
        moved.append(
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
    moved.sort(key=lambda flip: (not flip["beyond_noise"], -abs(flip["shift"]), flip["task"]))
    totals = {
        "tasks": len(cells),
        "counted": counted(pair),
        "flips": len(moved),
        "beyond_noise": sum(flip["beyond_noise"] for flip in moved),
        "by_chance": significant(math.fsum(flip["lfdr"] for flip in moved if flip["beyond_noise"]), FITTED),
        "alone": sum(_shown_alone(*flip["base"], *flip["candidate"]) for flip in moved),
        "changed": observed.changed,
        "changed_by_chance": flips.changed_by_chance(list(cells.values())),
        "tested": flips.tasks_tested(cells.values()),
        "controlled": tested.controlled,
    }
    return moved[:MOST], totals


def _shown_alone(c_a: int, n_a: int, c_b: int, n_b: int) -> bool:
    """Whether Fisher's exact test of one task, not corrected for their number, shows that its rate changed."""
    p = exact_p([(c_a, n_a - c_a, c_b, n_b - c_b)])
    return p is not None and p <= flips.ALONE


def counted(pair: Pair) -> str:
    """What is counted: passes where both runs say what one is, else full scores where the scale has them."""
    if pair.base.rule.threshold is not None and pair.candidate.rule.threshold is not None:
        return "passes"
    tops = [frame["reward"].max() for frame in (pair.a, pair.b) if not frame.is_empty()]
    return "full scores" if len(tops) == 2 and tops[0] == tops[1] == 1.0 else ""


def _cells(pair: Pair) -> dict[str, Cell]:
    """(n, passes) of both runs per common task; empty where nothing can be counted."""
    measure = counted(pair)
    if not measure:
        return {}
    good = pl.col("passed") if measure == "passes" else pl.col("reward") >= 1.0
    left, right = _counts(pair.a, good), _counts(pair.b, good)
    return {task: (*left[task], *right[task]) for task in pair.common if task in left and task in right}


def _counts(frame: pl.DataFrame, good: pl.Expr) -> dict[str, tuple[int, int]]:
    """Attempts that never ran or were never judged move no task."""
    graded = frame.filter(pl.col("stage_lost").is_null())
    grouped = graded.group_by("key").agg(pl.len().alias("n"), good.sum().alias("c"))
    return {key: (int(n), int(c)) for key, n, c in grouped.rows()}
