"""How attempts are shown: the outcome behind each letter, and the order in which tasks stand."""

from __future__ import annotations

from blade.model import Analysis, Task

OUTCOME = {"p": "pass", "f": "fail", "g": "partial", "i": "broken", "v": "broken", "s": "broken", "m": "missing"}
"""Letter of `TaskResult.outcomes` → the name of its colour and sign."""


def by_change(analysis: Analysis) -> list[Task]:
    """Tasks by how far the last run moved from the first, losses before gains; then by their pass rate."""

    def rank(task: Task) -> tuple[float, float, str]:
        results = [task.runs.get(run.name) for run in analysis.runs]
        means = [result.mean for result in results if result is not None and result.mean is not None]
        moved = means[-1] - means[0] if len(means) > 1 else 0.0
        return (
            (-abs(moved), moved, task.task) if len(analysis.runs) > 1 else (means[0] if means else -1.0, 0, task.task)
        )

    return sorted(analysis.tasks, key=rank)
