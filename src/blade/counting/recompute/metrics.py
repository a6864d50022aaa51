"""Holds one flat set of metrics, and the list of its tasks, against the rows.

A mean over a part of the rows is read by its name: `mean/reward_output_CSV` is the mean reward where `output_type` is
CSV.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from typing import TYPE_CHECKING

from blade.counting.recompute.baseline import STATS, Description, describe
from blade.counting.recompute.compare import Miss, Tally, agree
from blade.counting.recompute.families import check_families, split_key, split_run_means
from blade.counting.recompute.rows import ScoredRow, as_number
from blade.late_regex import late_regex

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from blade.counting.recompute.compare import Tally
    from blade.counting.recompute.rows import ScoredRow


_MEAN = "mean/"


def check_slice_mean(key: str, stored: object, rows: Sequence[ScoredRow], tally: Tally) -> bool:
    """Holds the key against the rows it speaks of; False where no field tells which those are.

    Where several fields may be meant that give different means, one that agrees is taken; if none does, all is left.
    """
    means = [
        mean for column, field_value in _readings(key, rows) if (mean := _mean(column, field_value, rows)) is not None
    ]
    if not means:
        return False
    number = as_number(stored)
    fitting = next((mean for mean in means if agree(number, mean, 1.0, tally.tolerance)), None)
    if fitting is None and any(not agree(mean, means[0], 1.0, tally.tolerance) for mean in means):
        return False
    tally.hold(key, stored, means[0] if fitting is None else fitting)
    return True


def _readings(key: str, rows: Sequence[ScoredRow]) -> Iterator[tuple[str, tuple[str, str]]]:
    """A number of the rows, and the field with the value that tells the rows apart, out of one key."""
    if not key.startswith(_MEAN):
        return
    metric = key.removeprefix(_MEAN)
    for column in sorted({name for row in rows for name in row.numbers}):
        if metric.startswith(f"{column}_"):
            slice_name = metric.removeprefix(f"{column}_")
            for field, value in sorted({pair for row in rows for pair in _words(row.fields)}):
                if slice_name == value or (
                    slice_name.endswith(f"_{value}") and _names(field, slice_name.removesuffix(f"_{value}"))
                ):
                    yield column, (field, value)


def _words(fields: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    return ((name, value) for name, value in fields.items() if isinstance(value, str) and value)


def _names(field: str, part: str) -> bool:
    """Whether a field is called by its name or by its first words."""
    last = field.rsplit(".", 1)[-1]
    return last == part or last.startswith(f"{part}_")


def _mean(column: str, field_value: tuple[str, str], rows: Sequence[ScoredRow]) -> float | None:
    field, value = field_value
    values = [row.numbers[column] for row in rows if row.fields.get(field) == value and column in row.numbers]
    return math.fsum(values) / len(values) if values else None


_BASELINE = late_regex(rf"({'|'.join(STATS)})/(.+)", re.DOTALL)
_NEW_COLUMN = "The rows have this value, the file does not: rows were edited or verified again after aggregation."
_COUNTS = frozenset(
    {"num_rollouts", "expected_num_rollouts", "missing_num_rollouts", "reward_profile_completion_pct", "rollout_infos"}
)
_IDENTITY = frozenset({"_ng_task_index", "agent_ref", "sample"})
_INFO_IDENTITY = frozenset({"rollout_id", "_ng_task_index", "_ng_rollout_index"})


def check_metrics(stored: Mapping[str, object], rows: Sequence[ScoredRow], tally: Tally) -> None:
    """Checks the metrics of one agent: the baseline, the pass@k family, means over slices, and lists the rest."""
    if not stored:
        tally.notes.append("The metrics are empty: verification was skipped, or nothing was aggregated.")
        return
    described = describe(rows)
    further_keys = check_baseline(stored, described, tally, task=None)
    family = []
    for key in further_keys:
        if key == "per_sample_aggregate" and (means := list(split_run_means(stored[key]))):
            family += means
        elif part := split_key(key):
            family.append((part, stored[key]))
        elif not check_slice_mean(key, stored[key], rows, tally):
            tally.leave(key)
    check_families(family, rows, tally, rows_agree=gives_means(stored, described, tally.tolerance))


def check_baseline(stored: Mapping[str, object], described: Description, tally: Tally, task: int | None) -> list[str]:
    """Compares every `stat/column`, in both directions, and returns the keys that are none.

    A file that holds no such statistic was never made to hold them: nothing is missing from it.
    """
    further_keys = []
    for key, value in stored.items():
        match = _BASELINE.fullmatch(key)
        if key in described.values and match:
            tally.hold(key, value, described.values[key], task=task, scale=described.scales[match[2]])
        elif match and (match[2] == "reward" or match[2] in described.scales):
            tally.miss(Miss(key, value, None, task))
        elif key not in _IDENTITY:
            further_keys.append(key)
    has_statistics = any(_BASELINE.fullmatch(key) for key in stored)
    for key in [key for key in described.values if key not in stored and has_statistics]:
        tally.miss(Miss(key, None, described.values[key], task, hint=_NEW_COLUMN))
    return further_keys


def gives_means(stored: Mapping[str, object], described: Description, tolerance: float) -> bool:
    """Whether the stored means are those of the described rows."""
    means = [key for key in stored if key.startswith("mean/") and key in described.values]
    return bool(means) and all(
        agree(as_number(stored[key]), described.values[key], described.scales[key[5:]], tolerance) for key in means
    )


def by_task(rows: Sequence[ScoredRow]) -> dict[int, list[ScoredRow]]:
    tasks: defaultdict[int, list[ScoredRow]] = defaultdict(list)
    for row in rows:
        tasks[row.task].append(row)
    return dict(tasks)


def check_groups(
    groups: Mapping[int, Mapping[str, object]], rows: Sequence[ScoredRow], tally: Tally, *, expected_known: bool
) -> None:
    """Checks the per-task entries; `expected_known` where the file's expected number is the actual one by design."""
    tasks = by_task(rows)
    for task, stored in groups.items():
        tally.groups_checked += 1
        before = tally.missed
        if task in tasks:
            _check_group(stored, tasks[task], tally, task=task, expected_known=expected_known)
        else:
            tally.miss(Miss("num_rollouts", stored.get("num_rollouts"), 0.0, task))
        tally.groups_matched += tally.missed == before
    for task in sorted(tasks.keys() - groups.keys()):
        tally.miss(Miss("num_rollouts", None, float(len(tasks[task])), task))


def _check_group(
    stored: Mapping[str, object], rows: Sequence[ScoredRow], tally: Tally, *, task: int, expected_known: bool
) -> None:
    for key in check_baseline(stored, describe(rows), tally, task):
        if key not in _COUNTS:
            tally.leave(f"group_level_metrics/{key}")
    for key, value in _counts(stored, len(rows), expected_known=expected_known).items():
        if key in stored:
            tally.hold(key, stored[key], value, task=task)
    infos = stored.get("rollout_infos")
    if isinstance(infos, list):
        _check_infos(infos, rows, tally, task)
    elif "rollout_infos" in stored:
        tally.problems.append(f"Task {task}: rollout_infos is not a list.")


def _counts(stored: Mapping[str, object], rows: int, *, expected_known: bool) -> dict[str, float]:
    """What the counters of a task should say; without the inputs the expected number is taken from the file."""
    expected = None if expected_known else as_number(stored.get("expected_num_rollouts"))
    expected_rows = float(rows) if expected is None else expected
    return {
        "num_rollouts": float(rows),
        "expected_num_rollouts": expected_rows,
        "missing_num_rollouts": expected_rows - rows,
        "reward_profile_completion_pct": 100.0 * rows / expected_rows if expected_rows else 100.0,
    }


def _check_infos(infos: Sequence[object], rows: Sequence[ScoredRow], tally: Tally, task: int) -> None:
    """Checks the file's own copy of each rollout's numbers, the one place that names the rollout that differs."""
    row_of_attempt = {row.attempt: row for row in rows}
    attempts_checked = set()
    for info in infos:
        attempt = as_number(info.get("_ng_rollout_index")) if isinstance(info, dict) else None
        row = row_of_attempt.get(int(attempt)) if attempt is not None and attempt.is_integer() else None
        if not isinstance(info, dict) or row is None or info.get("_ng_task_index", task) != task:
            stored = info.get("reward") if isinstance(info, dict) else info
            tally.miss(Miss(f"rollout_infos/{task}:{_attempt_text(attempt)}", stored, None, task))
            continue
        attempts_checked.add(row.attempt)
        expected_info = _info(row)
        name = f"rollout_infos/{task}:{row.attempt}"
        for key in [key for key in info if key not in _INFO_IDENTITY]:
            value = expected_info.get(key)
            if key != "reward" or value is not None or info[key] is not None:
                tally.hold(f"{name}/{key}", info[key], value, task=task, scale=abs(value or 0.0))
    for attempt in sorted(row_of_attempt.keys() - attempts_checked):
        tally.miss(Miss(f"rollout_infos/{task}:{attempt}", None, row_of_attempt[attempt].reward, task))


def _info(row: ScoredRow) -> dict[str, float]:
    """The numbers of a rollout; here, unlike in the statistics, the row wins over usage where both have a key."""
    row_numbers = {key: number for key in row.numbers if (number := as_number(row.fields.get(key))) is not None}
    return {**row.numbers, **row_numbers}


def _attempt_text(attempt: float | None) -> str:
    return "?" if attempt is None else f"{attempt:g}"
