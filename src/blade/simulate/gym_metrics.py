"""The statistics NeMo Gym keeps of every number in a row, for the run and for each task."""

from __future__ import annotations

import statistics
from collections import Counter
from math import comb
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from blade.simulate.simulated_row import Json

__all__ = ["by_task", "numbers", "pass_metrics", "run_statistics", "task_statistics"]


INDICES = ("_ng_task_index", "_ng_rollout_index")
USAGE = ("input_tokens", "output_tokens", "total_tokens")


def numbers(row: Json) -> dict[str, float | int]:
    """Every top-level number of the row, the usage laid over them; true and false count as 1 and 0."""
    values = {key: value for key, value in row.items() if isinstance(value, int | float) and key not in INDICES}
    usage = (row.get("response") or {}).get("usage") or {}
    values |= {key: usage[key] for key in USAGE if usage.get(key) is not None}
    return {key: int(value) if isinstance(value, bool) else value for key, value in values.items()}


def run_statistics(rows: Sequence[Json]) -> Json:
    """`mean/K`, `max/K`, `min/K`, `median/K`, `std/K`; each K has its own denominator."""
    columns: dict[str, list[float]] = {}
    for row in rows:
        for key, value in numbers(row).items():
            columns.setdefault(key, []).append(float(value))
    columns = {key: columns[key] for key in sorted(columns, key=lambda key: key in USAGE)}
    aggregates: Json = {f"mean/{key}": sum(values) / len(values) for key, values in columns.items()}
    aggregates |= {f"max/{key}": max(values) for key, values in columns.items()}
    aggregates |= {f"min/{key}": min(values) for key, values in columns.items()}
    aggregates |= {f"median/{key}": statistics.median(values) for key, values in columns.items()}
    if all(len(values) == 1 for values in columns.values()):
        return aggregates | {f"std/{key}": 0.0 for key in columns}
    return aggregates | {f"std/{key}": statistics.stdev(values) for key, values in columns.items() if len(values) > 1}


def by_task(rows: Sequence[Json]) -> dict[int, list[Json]]:
    """Rows of each task in the order of their attempts, tasks in order."""
    groups: dict[int, list[Json]] = {}
    for row in sorted(rows, key=lambda row: (row["_ng_task_index"], row["_ng_rollout_index"])):
        groups.setdefault(row["_ng_task_index"], []).append(row)
    return groups


def task_statistics(index: int, rows: Sequence[Json], expected: int, sample: Json) -> Json:
    """One task: its statistics, how much of it is there, and the numbers of each attempt."""
    return {
        "_ng_task_index": index,
        **run_statistics(rows),
        "sample": sample,
        "num_rollouts": len(rows),
        "expected_num_rollouts": expected,
        "missing_num_rollouts": expected - len(rows),
        "reward_profile_completion_pct": 100.0 * len(rows) / expected,
        "rollout_infos": [_info(row) for row in rows],
    }


def _info(row: Json) -> Json:
    stamps = {key: row[key] for key in INDICES}
    values = numbers(row)
    order = sorted(values, key=lambda key: (key != "reward", key not in USAGE))
    rollout_id = f"{row['_ng_task_index']}:{row['_ng_rollout_index']}"
    return {"rollout_id": rollout_id, **stamps, **{key: values[key] for key in order}}


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
