"""Which tasks of two runs are the same task.

The first rule that holds for the pair decides:

1. a domain id, present and unique per task in both, with equal expected answers where both show one;
2. the task's own text with its expected answer;
3. the index, if expected answers or texts agree on at least 95 % of the shared indices;
4. none: the runs cannot be compared task by task.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from blade.counting.expected import input_tasks
from blade.counting.fields import field_rows, names
from blade.counting.identity import ID_FIELDS, hash_mix
from blade.counting.run import Run

AGREE = 0.95
MOSTLY_UNIQUE = 0.9


@dataclass(frozen=True, slots=True)
class Sketch:
    """What one task shows of itself to another run."""

    text: int | None
    gold: int | None
    index: int | None


@dataclass(frozen=True, slots=True)
class Alignment:
    """`same` maps a task of the candidate to the task of the base. `rule` is domain_id, text, index or none."""

    rule: str
    detail: str
    same: Mapping[str, str]


def sketches(run: Run) -> dict[str, Sketch]:
    """One sketch per task; the materialized inputs speak before the rows."""
    found: dict[str, Sketch] = {}
    for task, text, gold, index in _first_rows(run.facts, run.facts["task"].to_list()):
        found.setdefault(task, Sketch(text, gold, index))
    if run.inputs.height:
        for task, text, gold, index in _first_rows(run.inputs, input_tasks(run.facts, run.inputs)):
            seen = found.get(task)
            found[task] = Sketch(text or seen.text, seen.gold or gold, index) if seen else Sketch(text, gold, index)
    return found


def _first_rows(frame: pl.DataFrame, tasks: list[str]) -> list[tuple[Any, ...]]:
    columns = ("text_hash", "gold_hash", "task_index")
    return [(task, *row) for task, row in zip(tasks, frame.select(columns).rows(), strict=True)]


def align(base: Run, other: Run) -> Alignment:
    """Match the tasks of two runs by the first rule that holds."""
    left, right = sketches(base), sketches(other)
    return (
        _by_domain_id(base, other, left, right)
        or _by_text(left, right)
        or _by_index(left, right)
        or Alignment(
            "none",
            "no domain id, text or index shows which tasks of the two runs are the same",
            {},
        )
    )


def domain_ids(run: Run) -> dict[str, dict[str, str]]:
    """Field → {task: id} for every domain id that is present and unique per task; inputs tell of tasks without rows."""
    told = [(run.facts["task"].to_list(), run.fields(), {column.name for column in run.columns})]
    if run.inputs.height:
        fields = field_rows(run.inputs)
        told.append((input_tasks(run.facts, run.inputs), fields, set(names(fields))))
    tasks_of_run = set(told[0][0])
    found: dict[str, dict[str, str]] = {}
    for field in ID_FIELDS:
        sources = [(tasks, fields) for tasks, fields, present in told if field in present]
        if not sources:
            continue
        tasks = [task for owners, _ in sources for task in owners]
        values = [row.get(field) for _, fields in sources for row in fields]
        ids = _one_per_task(tasks, values)
        if ids is not None and tasks_of_run <= set(ids):
            found[field] = ids
    return found


def _one_per_task(tasks: list[str], values: list[Any]) -> dict[str, str] | None:
    ids: dict[str, str] = {}
    owner: dict[str, str] = {}
    if set(map(type, values)) & {type(None), bool, float}:
        return None
    for task, value in dict.fromkeys(zip(tasks, values, strict=True)):
        text = str(value)
        if ids.setdefault(task, text) != text or owner.setdefault(text, task) != task:
            return None
    return ids


def _by_domain_id(base: Run, other: Run, left: Mapping[str, Sketch], right: Mapping[str, Sketch]) -> Alignment | None:
    mine, theirs = domain_ids(base), domain_ids(other)
    for field in ID_FIELDS:
        if field not in mine or field not in theirs:
            continue
        if _is_row_number(mine[field], left) or _is_row_number(theirs[field], right):
            continue
        back = {value: task for task, value in mine[field].items()}
        same = {task: back[value] for task, value in theirs[field].items() if value in back}
        if same and _same_tasks(same, left, right):
            return Alignment("domain_id", f"the field '{field}'", same)
    return None


def _same_tasks(same: Mapping[str, str], left: Mapping[str, Sketch], right: Mapping[str, Sketch]) -> bool:
    """Expected answers agree where both show them; a changed key to the very same text is no new task."""
    gold = _gold_share(same, left, right)
    return gold is None or gold >= AGREE or (_text_share(same, left, right) or 0) >= AGREE


def _is_row_number(ids: Mapping[str, str], seen: Mapping[str, Sketch]) -> bool:
    """An id that only repeats the index says no more than the index."""
    pairs = [(ids[task], seen[task].index) for task in ids if task in seen and seen[task].index is not None]
    return bool(pairs) and all(value == str(index) for value, index in pairs)


def _gold_share(same: Mapping[str, str], left: Mapping[str, Sketch], right: Mapping[str, Sketch]) -> float | None:
    """Share of matched tasks with equal gold, of those where both show gold; None where none do."""
    pairs = [(left[mine].gold, right[theirs].gold) for theirs, mine in same.items() if mine in left and theirs in right]
    known = [(one, two) for one, two in pairs if one is not None and two is not None]
    return sum(one == two for one, two in known) / len(known) if known else None


def _text_share(same: Mapping[str, str], left: Mapping[str, Sketch], right: Mapping[str, Sketch]) -> float | None:
    pairs = [(left[mine].text, right[theirs].text) for theirs, mine in same.items() if mine in left and theirs in right]
    known = [(one, two) for one, two in pairs if one is not None and two is not None]
    return sum(one == two for one, two in known) / len(known) if known else None


def _by_text(left: Mapping[str, Sketch], right: Mapping[str, Sketch]) -> Alignment | None:
    both_gold = any(item.gold is not None for item in left.values()) and any(
        item.gold is not None for item in right.values()
    )
    mine, theirs = _unique_keys(left, both_gold), _unique_keys(right, both_gold)
    if mine is None or theirs is None:
        return None
    back = {key: task for task, key in mine.items()}
    same = {task: back[key] for task, key in theirs.items() if key in back}
    detail = "the task's own text and its expected answer" if both_gold else "the task's own text"
    return Alignment("text", detail, same) if same else None


def _unique_keys(seen: Mapping[str, Sketch], both_gold: bool) -> dict[str, int] | None:
    keys = {
        task: hash_mix(item.text, item.gold if both_gold else None)
        for task, item in seen.items()
        if item.text is not None
    }
    if not seen or len(keys) < len(seen) * MOSTLY_UNIQUE:
        return None
    counts = Counter(keys.values())
    unique = {task: key for task, key in keys.items() if counts[key] == 1}
    return unique if len(unique) >= len(keys) * MOSTLY_UNIQUE else None


def _by_index(left: Mapping[str, Sketch], right: Mapping[str, Sketch]) -> Alignment | None:
    mine = {item.index: task for task, item in left.items() if item.index is not None}
    shared = {task: mine[item.index] for task, item in right.items() if item.index in mine and item.index is not None}
    if not shared:
        return None
    if max(_text_share(shared, left, right) or 0, _gold_share(shared, left, right) or 0) >= AGREE:
        return Alignment("index", "the index, which text or expected answers confirm", shared)
    return None
