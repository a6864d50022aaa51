"""The statistics NeMo Gym keeps of every number in a row, for the run and for each task."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from blade.simulate.scenario import Json

__all__ = ["by_task", "numbers", "run_statistics", "task_statistics"]

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
