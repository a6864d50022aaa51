"""More than two runs: which of them can be told apart on the tasks they all share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from blade.counting.align import Alignment
from blade.counting.measure import Measured
from blade.counting.run import Run
from blade.counting.seed import seed_of
from blade.options import Options
from blade.stats.ranks import rank_runs


def ranking(
    runs: Sequence[Run], measured: Sequence[Measured], alignments: Sequence[Alignment], options: Options
) -> dict[str, Any] | None:
    """Rank sets by simultaneous comparison; None below two runs or two shared tasks."""
    matrix = common_means(measured, [None, *alignments])
    if len(runs) < 2 or len(matrix) < 2:
        return None
    ranks = rank_runs(matrix, seed=seed_of(runs, options.seed))
    if ranks is None:
        return None
    return {
        "runs": [run.name for run in runs],
        "tasks": len(matrix),
        "scores": list(ranks.scores),
        "ranks": [list(rank) for rank in ranks.ranks],
        "best": list(ranks.best),
        "critical": ranks.critical,
    }


def common_means(measured: Sequence[Measured], alignments: Sequence[Alignment | None]) -> list[list[float]]:
    """A row for each task that all runs have, with its mean in each; a run without an alignment is the baseline."""
    means: list[dict[str, float]] = []
    for item, alignment in zip(measured, alignments, strict=True):
        of_run = {
            (task if alignment is None else alignment.same.get(task, "")): result.mean
            for task, result in item.results.items()
            if result.mean is not None
        }
        means.append({task: mean for task, mean in of_run.items() if task})
    common = sorted(set.intersection(*(set(run) for run in means)))
    return [[run[task] for run in means] for task in common]
