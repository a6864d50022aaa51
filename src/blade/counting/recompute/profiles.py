"""Recomputes reward profiles: one row per task."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from blade.counting.recompute.baseline import mean, total
from blade.counting.recompute.causes import EntryEvidence, causes
from blade.counting.recompute.checks import counted_rows, index_groups
from blade.counting.recompute.compare import TOLERANCE, Miss, Recomputed, Tally, agree, finish
from blade.counting.recompute.metrics import by_task, check_groups
from blade.counting.recompute.rows import ScoredRow, as_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

PROFILE = "reward_profiling"
LEGACY = "reward_profiling (before 2026-02-25)"
_INDEX = "_ng_task_index"


def check_profile(profile_rows: object, rows: Sequence[ScoredRow], *, tolerance: float = TOLERANCE) -> Recomputed:
    """Recomputes the rows of a `_reward_profiling.jsonl` file, or of its oldest variant with `avg_reward`."""
    tally = Tally(tolerance)
    usable = _usable(profile_rows, tally)
    legacy = any("avg_reward" in group and "total_samples" in group for group in usable)
    groups = _indexed(usable, rows, tally)
    if legacy:
        _check_legacy(groups, rows, tally)
    elif groups:
        check_groups(groups, rows, tally, expected_known=False)
    evidence = EntryEvidence(
        rows=rows,
        all_rows=rows,
        tally=tally,
        fits=lambda reading: _gives_means(groups, reading, tolerance),
        stored_rows=counted_rows(list(groups.values())),
        stored_tasks=set(groups),
    )
    tally.unknown = {key.removeprefix("group_level_metrics/"): None for key in tally.unknown}
    return finish(LEGACY if legacy else PROFILE, [tally], [causes(evidence)], [])


def _usable(profile_rows: object, tally: Tally) -> list[dict[str, object]]:
    if isinstance(profile_rows, str | bytes | dict) or not hasattr(profile_rows, "__iter__"):
        tally.problems.append(f"The profile is not a list of rows but {type(profile_rows).__name__}.")
        return []
    everything = list(profile_rows)
    usable = [{str(key): value for key, value in row.items()} for row in everything if isinstance(row, dict)]
    if len(usable) < len(everything):
        tally.problems.append(f"{len(everything) - len(usable)} profile rows are not objects and were left out.")
    return usable


def _indexed(
    usable: Sequence[dict[str, object]], rows: Sequence[ScoredRow], tally: Tally
) -> dict[int, Mapping[str, object]]:
    """The profile rows by task; without an index (older builds) they are in ascending task order."""
    for group in usable:
        if _INDEX not in group and "_task_index" in group:
            group[_INDEX] = group["_task_index"]
    if any(_INDEX in group for group in usable):
        return index_groups(usable, tally)
    tasks = sorted(by_task(rows))
    if len(tasks) != len(usable):
        tally.problems.append(
            f"{len(usable)} profile rows without a task index, {len(tasks)} tasks: they cannot be put side by side."
        )
        return {}
    return dict(zip(tasks, usable, strict=True))


def _gives_means(groups: Mapping[int, Mapping[str, object]], rows: Sequence[ScoredRow], tolerance: float) -> bool:
    """Whether these rows have the stored tasks with the stored mean rewards."""
    tasks = by_task(rows)
    if not groups or tasks.keys() != groups.keys():
        return False
    return all(
        agree(as_number(group.get("mean/reward", group.get("avg_reward"))), _mean_reward(tasks[task]), 1.0, tolerance)
        for task, group in groups.items()
    )


def _mean_reward(rows: Iterable[ScoredRow]) -> float | None:
    rewards = [row.reward for row in rows if row.reward is not None]
    return mean(rewards) if rewards else None


def _check_legacy(groups: Mapping[int, Mapping[str, object]], rows: Sequence[ScoredRow], tally: Tally) -> None:
    tasks = by_task(rows)
    for task, stored in groups.items():
        tally.groups_checked += 1
        before = tally.missed
        rewards = [row.reward for row in tasks.get(task, []) if row.reward is not None]
        expected_values = _legacy(rewards, as_number(stored.get("pass_threshold")))
        for key in ("avg_reward", "std_reward", "min_reward", "max_reward", "total_samples", *_PASS):
            if key not in stored:
                continue
            if key in _PASS and "pass_threshold" not in stored:
                tally.leave(key)
            else:
                tally.hold(
                    key, stored[key], expected_values.get(key), task=task, scale=max(map(abs, rewards), default=0.0)
                )
        tally.groups_matched += tally.missed == before
    for task in sorted(tasks.keys() - groups.keys()) if groups else ():
        tally.miss(Miss("total_samples", None, float(len(tasks[task])), task))


_PASS = ("pass_rate", "pass_rate_total", "pass_rate_passed")


def _legacy(rewards: Sequence[float], threshold: float | None) -> dict[str, float]:
    """The oldest profile's numbers; its deviation divides by n."""
    if not rewards:
        return {"total_samples": 0.0}
    centre = mean(rewards)
    expected_values = {
        "avg_reward": centre,
        "std_reward": math.sqrt(total((reward - centre) ** 2 for reward in rewards) / len(rewards)),
        "min_reward": min(rewards),
        "max_reward": max(rewards),
        "total_samples": float(len(rewards)),
    }
    if threshold is not None:
        passed = sum(reward >= threshold for reward in rewards)
        expected_values |= {
            "pass_rate": passed / len(rewards),
            "pass_rate_total": float(len(rewards)),
            "pass_rate_passed": float(passed),
        }
    return expected_values
