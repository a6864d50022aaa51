"""The pass@k family of NeMo Gym's aggregate, in percent."""

from __future__ import annotations

import statistics
from collections import Counter
from math import comb
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from blade.simulate.scenario import Json

__all__ = ["pass_metrics"]

Scored = tuple[str | None, float]
"""The answer of an attempt and its score."""


def pass_metrics(groups: Sequence[Sequence[Json]], answer_field: str | None, subset_field: str | None) -> Json:
    """Everything for k = 1 up to the most repeats of any task, then the spread across repeats, then subsets."""
    metrics = _modes(groups, answer_field)
    scores = {"accuracy": _scores(groups, answer_field, "accuracy")}
    if answer_field:
        scores["no_answer"] = _scores(groups, answer_field, "no_answer")
    runs = {name: _per_run(attempts) for name, attempts in scores.items()}
    metrics["per_sample_aggregate"] = runs
    for k in range(2, _most_repeats(groups) + 1):
        for name, means in runs.items():
            spread = statistics.stdev(means[:k])
            metrics[f"pass@1[avg-of-{k}]/{name}/std_dev_across_runs"] = spread
            metrics[f"pass@1[avg-of-{k}]/{name}/std_err_across_runs"] = spread / k**0.5
    if subset_field:
        for value in sorted({str(group[0][subset_field]) for group in groups}):
            part = [group for group in groups if str(group[0][subset_field]) == value]
            metrics |= {f"{value}/{name}": number for name, number in _modes(part, answer_field).items()}
    return metrics


def _modes(groups: Sequence[Sequence[Json]], answer_field: str | None) -> Json:
    metrics: Json = {}
    for k in range(1, _most_repeats(groups) + 1):
        for name in ("accuracy", "no_answer") if answer_field else ("accuracy",):
            tasks = _scores(groups, answer_field, name)
            full = [_pass_at(k, [score for _, score in task]) for task in tasks if len(task) >= k]
            metrics[f"pass@{k}/{name}"] = _percent(full)
            metrics[f"pass@1[avg-of-{k}]/{name}"] = _percent(
                [_mean([score for _, score in task[:k]]) for task in tasks]
            )
            if answer_field:
                metrics[f"majority@{k}/{name}"] = _percent([_majority(task[:k]) for task in tasks])
    return metrics


def _scores(groups: Sequence[Sequence[Json]], answer_field: str | None, name: str) -> list[list[Scored]]:
    def scored(row: Json) -> Scored:
        answer = row[answer_field] if answer_field else None
        return answer, float(row["reward"]) if name == "accuracy" else float(answer is None)

    return [[scored(row) for row in group] for group in groups]


def _most_repeats(groups: Sequence[Sequence[Json]]) -> int:
    return max(map(len, groups), default=0)


def _pass_at(k: int, values: Sequence[float]) -> float:
    if set(values) <= {0.0, 1.0}:
        right = int(sum(values))
        return 1.0 - comb(len(values) - right, k) / comb(len(values), k)
    return max(values[:k])


def _majority(attempts: Sequence[Scored]) -> float:
    votes = Counter(attempt for attempt in attempts if attempt[0] is not None)
    if not votes:
        return 0.0
    top_votes = max(votes.values())
    return _mean([score for (_, score), count in votes.items() if count == top_votes])


def _per_run(tasks: Sequence[Sequence[Scored]]) -> list[float]:
    repeats = max(map(len, tasks), default=0)
    return [_percent([task[run][1] for task in tasks if len(task) > run]) for run in range(repeats)]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _percent(values: Sequence[float]) -> float:
    return 100.0 * sum(values) / len(values) if values else 0.0
