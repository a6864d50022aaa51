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
    means: list[dict[str, float]] = []
    for place, item in enumerate(measured):
        task_names = alignments[place - 1].same if place else None
        task_means = {
            (task if task_names is None else task_names.get(task, "")): result.mean
            for task, result in item.results.items()
            if result.mean is not None
        }
        means.append({task: mean for task, mean in task_means.items() if task})
    common = sorted(set.intersection(*(set(run) for run in means)))
    if len(runs) < 2 or len(common) < 2:
        return None
    ranks = rank_runs([[run[task] for run in means] for task in common], seed=seed_of(runs, options.seed))
    if ranks is None:
        return None
    return {
        "runs": [run.name for run in runs],
        "tasks": len(common),
        "scores": list(ranks.scores),
        "ranks": [list(rank) for rank in ranks.ranks],
        "best": list(ranks.best),
        "critical": ranks.critical,
    }
