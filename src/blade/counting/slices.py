"""Slices: properties of a task (category, difficulty, …) and how the run did on each of their levels.

A slice field is constant within a task and has 2 to 50 levels. Fields of the inputs cannot leak the outcome; fields of
the rollout row are used only if their name does not speak of an outcome.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import polars as pl

from blade.counting.expected import input_tasks
from blade.counting.fields import Fields, field_rows
from blade.counting.identity import ID_FIELDS
from blade.counting.metrics import TaskRows
from blade.counting.passing import PassRule
from blade.counting.run import Run
from blade.extract.names import is_gold, is_metadata, is_outcome, is_pass_flag
from blade.stats import components, intervals

FEWEST, MOST = 2, 50
LONGEST = 60
MOST_FIELDS = 40
_NEVER = {"reward", "score", "model", "agent", "source_path", "source_commit", "_ng_attempt_index", "_ng_rollout_id"}
_NOT_OF_THE_TASK = {"model", "agent", "snapshot", "submission", "checkpoint", "policy"}

_TASK_HOLDERS = ("metadata.", "verifier_metadata.", "task.", "instance_config.", "responses_create_params.metadata.")

TaskSlices = dict[str, dict[str, str]]


def task_slices(run: Run, chosen: Sequence[str] = ()) -> TaskSlices:
    """Task → {field: level}. Declared fields come first; otherwise every field that qualifies."""
    found: dict[str, dict[str, str]] = {}
    if run.inputs.height:
        found |= _levels(input_tasks(run.facts, run.inputs), field_rows(run.inputs), of_inputs=True)
    rows = _levels(run.facts["task"].to_list(), run.fields(), of_inputs=False)
    for name, levels in rows.items():
        found.setdefault(name, levels)
    names = [name for name in chosen if name in found] if chosen else list(found)
    slices: TaskSlices = {}
    for name in names[:MOST_FIELDS]:
        for task, level in found[name].items():
            slices.setdefault(task, {})[name] = level
    return slices


def _levels(tasks: Sequence[str], rows: Sequence[Fields], *, of_inputs: bool) -> dict[str, dict[str, str]]:
    """Field → {task: level} for every field that can be a slice."""
    seen: dict[str, dict[str, str]] = {}
    broken: set[str] = set()
    repeated = len(tasks) >= 2 * len(set(tasks))
    for task, row in zip(tasks, rows, strict=True):
        for name, value in row.items():
            if name in broken:
                continue
            level = _level(name, value, of_inputs=of_inputs, repeated=repeated)
            if level is None or seen.setdefault(name, {}).setdefault(task, level) != level:
                broken.add(name)
                seen.pop(name, None)
    total = len(set(tasks))
    return {name: seen[name] for name in sorted(seen) if _qualifies(seen[name].values(), total)}


def _of_the_task(name: str) -> bool:
    """Whether a field of the row was there before the run: told by where it stands or by its name."""
    return name.startswith(_TASK_HOLDERS) or is_metadata(name)


def _level(name: str, value: Any, *, of_inputs: bool, repeated: bool) -> str | None:
    if name in ID_FIELDS or name in _NEVER or name.rsplit(".", 1)[-1] in _NOT_OF_THE_TASK or is_gold(name):
        return None
    if not of_inputs and (is_outcome(name) or is_pass_flag(name) or not (repeated or _of_the_task(name))):
        return None
    if isinstance(value, str):
        return value if 0 < len(value) <= LONGEST and "\n" not in value else None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return f"{value:g}"
    return "(none)" if value is None else None


def _qualifies(levels: Iterable[str], tasks: int) -> bool:
    counts = Counter(levels)
    return FEWEST <= len(counts) <= min(MOST, max(FEWEST, tasks // 2)) and sum(counts.values()) * 2 > tasks


def slice_table(tasks: Sequence[TaskRows], slices: TaskSlices, rule: PassRule) -> list[dict[str, Any]]:
    """One line per field and level: how many tasks, how well they did, how sure that is."""
    groups: dict[tuple[str, str], list[TaskRows]] = {}
    for task in tasks:
        for field, level in slices.get(task.task, {}).items():
            groups.setdefault((field, level), []).append(task)
    lines = []
    for (field, level), members in sorted(groups.items()):
        lines.append({"field": field, "level": level, **_line(members, rule)})
    return lines


def _line(members: Sequence[TaskRows], rule: PassRule) -> dict[str, Any]:
    means = [task.total / task.n for task in members]
    counts = [task.n for task in members]
    parts = components.components(counts, means, [0.0] * len(members))
    interval = None
    if parts.score is not None and parts.se_super is not None and rule.scale == "unit":
        interval = intervals.wilson_t(min(max(parts.score, 0.0), 1.0), len(members), sum(counts), parts.se_super)
    passes = None if rule.threshold is None else sum(task.passes or 0 for task in members)
    return {
        "tasks": len(members),
        "rollouts": sum(counts),
        "score": parts.score,
        "interval": interval,
        "passes": passes,
    }


def field_profile(facts: pl.DataFrame, rows: Sequence[Fields]) -> list[dict[str, Any]]:
    """Every short field of the rows: on how many it stands, of what types, with how many values."""
    tasks = facts["task"].to_list()
    passed = facts["passed"].to_list()
    found: dict[str, _Profile] = {}
    for task, is_pass, row in zip(tasks, passed, rows, strict=True):
        for name, value in row.items():
            if name not in found:
                found[name] = _Profile()
            found[name].add(task, value, is_pass)
    return [{"field": name, **found[name].summary(facts.height)} for name in sorted(found)]


class _Profile:
    """Running counts of one field."""

    def __init__(self) -> None:
        self.rows = 0
        self.types: Counter[str] = Counter()
        self.values: Counter[str] = Counter()
        self.passes: Counter[str] = Counter()
        self.by_task: dict[str, str] = {}
        self.constant = True
        self.judged = False

    def add(self, task: str, value: Any, is_pass: bool | None) -> None:
        self.rows += 1
        self.types["null" if value is None else type(value).__name__] += 1
        text = str(value)
        if len(self.values) <= MOST or text in self.values:
            self.values[text] += 1
            self.passes[text] += bool(is_pass)
        self.judged = self.judged or is_pass is not None
        if self.by_task.setdefault(task, text) != text:
            self.constant = False

    def summary(self, rows: int) -> dict[str, Any]:
        many = len(self.values) > MOST
        common = sorted(self.values.items(), key=lambda pair: (-pair[1], pair[0]))[:5]
        return {
            "rows": self.rows,
            "absent": rows - self.rows,
            "types": dict(sorted(self.types.items())),
            "values": None if many else len(self.values),
            "constant_per_task": self.constant,
            "common": []
            if many
            else [
                {"value": text, "rows": n, "passed": self.passes[text] if self.judged else None} for text, n in common
            ],
        }
