"""Slices: properties of a task (category, difficulty, …) and how the run did on each of their levels.

A slice field is constant within a task, over all runs, and has 2 to 50 levels, most of which hold several tasks. Fields
of the inputs cannot leak the outcome; fields of the rollout row are used only if their name does not speak of an
outcome or of the attempt.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches
from math import isfinite
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from blade.counting.align import Alignment
from blade.counting.columns import Codes, Column, columns, constant, firsts, number
from blade.counting.derived_slices import derived_slices
from blade.counting.expected import input_tasks
from blade.counting.fields import field_rows
from blade.counting.metrics import TaskRows
from blade.counting.passing import PassRule
from blade.counting.run import Run
from blade.errors import UsageError
from blade.extract.names import is_gold, is_metadata, is_outcome, is_pass_flag, words
from blade.options import Options
from blade.stats import components, intervals
from blade.task_names import ID_FIELDS, is_random_id

FEWEST, MOST = 2, 50
LONGEST = 60
FEWEST_NUMBERS = 5
"""With fewer values a number is a level like others."""
VARIES = 0.05
"""A field that differs between runs for more than this share of the tasks they have in common is none of the task."""
SEVERAL = 0.5
"""So many of the levels must hold more than one task; otherwise the field is an id."""
MOST_FIELDS = 40
_NEVER = {"reward", "score", "model", "agent", "source_path", "source_commit", "_ng_attempt_index", "_ng_rollout_id"}
_INDEX = frozenset({"index", "idx"})
_WAYS = frozenset("mode kind type method metric scorer checker".split())
_OUTCOME_HOLDERS = frozenset({"scores", "rewards", "metrics", "verdicts"})
"""What stands under such a name in a row came of the attempt."""
_NOT_OF_THE_TASK = {"model", "agent", "snapshot", "submission", "checkpoint", "policy"}

_TASK_HOLDERS = ("metadata.", "verifier_metadata.", "task.", "instance_config.", "responses_create_params.metadata.")

TaskSlices = dict[str, dict[str, str]]
Flags = npt.NDArray[np.bool_]


def task_slices(run: Run, fields: Sequence[str] = ()) -> TaskSlices:
    """Task → {field: level}. Declared fields come first; otherwise every field that qualifies."""
    levels_by_field: dict[str, dict[str, str]] = {}
    if run.inputs.height:
        levels_by_field |= _levels(input_tasks(run.facts, run.inputs), columns(field_rows(run.inputs)), of_inputs=True)
    rows = _levels(run.facts["task"].to_list(), run.columns, of_inputs=False)
    for name, levels in rows.items():
        levels_by_field.setdefault(name, levels)
    levels_by_field = {
        name: levels
        for name, levels in levels_by_field.items()
        if name in fields or not (_is_index(name, levels_by_field) or _is_drawn(levels.values()))
    }
    names = [name for name in fields if name in levels_by_field] if fields else list(levels_by_field)
    slices: TaskSlices = {}
    for name in names[:MOST_FIELDS]:
        for task, level in levels_by_field[name].items():
            slices.setdefault(task, {})[name] = level
    return slices


def task_numbers(run: Run) -> dict[str, dict[str, float]]:
    """Field → {task: number} for every field with several numbers, one for each task, that may be a slice."""
    names, of_row = number(run.facts["task"].to_list())
    repeated = run.facts.height >= 2 * len(names)
    numbers: dict[str, dict[str, float]] = {}
    for field in run.columns:
        may_slice = _may_slice(field.name, of_inputs=False, repeated=repeated)
        if not may_slice or set(words(field.name)[-1:]) & _INDEX or len(field.values) < FEWEST_NUMBERS:
            continue
        groups = of_row[field.rows]
        plain = all(type(value) in (int, float) and isfinite(value) for value in field.values)
        if plain and constant(groups, field.codes):
            first = firsts(groups)
            pairs = zip(groups[first], field.codes[first], strict=True)
            numbers[field.name] = {names[group]: float(field.values[code]) for group, code in pairs}
    return numbers


def all_slices(runs: Sequence[Run], alignments: Sequence[Alignment], options: Options) -> list[TaskSlices]:
    """The slices of every run, without fields whose level differs between runs for more than a few common tasks.

    Such a field tells of the attempt. What only the rows of one run leave empty was lost there, and is no level either.
    """
    fields_by_run = [options.slices or tuple(run.raw.benchmark.values.get("slices", ())) for run in runs]
    _refuse_unknown(runs, options.slices)
    slices_by_run = [task_slices(run, names) for run, names in zip(runs, fields_by_run, strict=True)]
    if any(fields_by_run):
        return slices_by_run
    for slices, derived in zip(slices_by_run, derived_slices(runs, _qualifies), strict=True):
        _add(slices, derived)
    no_slices = _varying(slices_by_run, [None, *alignments]) | _doubles(slices_by_run)
    return [
        {
            task: {name: level for name, level in levels.items() if name not in no_slices}
            for task, levels in run_slices.items()
        }
        for run_slices in slices_by_run
    ]


def _is_index(name: str, fields: Mapping[str, Mapping[str, str]]) -> bool:
    """Whether a field counts the tasks within another one, as its name says: the third of its source is no kind."""
    if not set(words(name)[-1:]) & _INDEX:
        return False
    numbers = fields[name]
    pairs = ([(levels.get(task), number) for task, number in numbers.items()] for levels in fields.values())
    return any(len(set(positions)) == len(positions) for positions in pairs)


def _is_drawn(levels: Iterable[str]) -> bool:
    """Whether most levels are ids that a program drew, such as the hashed names of the people who wrote the tasks."""
    different = set(levels)
    return sum(map(is_random_id, different)) > SEVERAL * len(different)


def _by_field(slices: TaskSlices) -> dict[str, dict[str, str]]:
    """Field → {task: level}."""
    levels_by_field: dict[str, dict[str, str]] = {}
    for task, levels in slices.items():
        for name, level in levels.items():
            levels_by_field.setdefault(name, {})[task] = level
    return levels_by_field


def _doubles(runs: Sequence[TaskSlices]) -> frozenset[str]:
    """Fields that part the tasks as another field does in every run that has either; of two the shorter name stays."""
    partings = [{name: _parting(levels) for name, levels in _by_field(slices).items()} for slices in runs]
    first_names: dict[tuple[frozenset[frozenset[str]] | None, ...], str] = {}
    for name in sorted(set().union(*partings), key=lambda name: (len(name), name)):
        first_names.setdefault(tuple(parting.get(name) for parting in partings), name)
    return frozenset().union(*partings) - frozenset(first_names.values())


def _refuse_unknown(runs: Sequence[Run], names: Sequence[str]) -> None:
    """A field to slice by that no run has is a slip of the hand: it is said, with the names that come near."""
    field_names = {column.name for run in runs for column in (*run.columns, *columns(field_rows(run.inputs)))}
    for name in names:
        if name not in field_names:
            near = get_close_matches(name, sorted(field_names), 3) or sorted(field_names)[:12]
            raise UsageError(f"--slices {name}: no row has such a field.", f"The rows have: {', '.join(near)}.")


def _add(slices: TaskSlices, derived: Mapping[str, Mapping[str, str]]) -> None:
    """Derived fields beside the others, but for those that part the tasks as a field does."""
    parts = {_parting(levels) for levels in _by_field(slices).values()}
    for name, task_levels in derived.items():
        if _parting(task_levels) not in parts:
            parts.add(_parting(task_levels))
            for task, level in task_levels.items():
                slices.setdefault(task, {})[name] = level


def _parting(levels: Mapping[str, str]) -> frozenset[frozenset[str]]:
    groups: dict[str, set[str]] = {}
    for task, level in levels.items():
        groups.setdefault(level, set()).add(task)
    return frozenset(map(frozenset, groups.values()))


def _varying(slices_by_run: Sequence[TaskSlices], alignments: Sequence[Alignment | None]) -> frozenset[str]:
    first_levels: dict[tuple[str, str], str] = {}
    common: Counter[str] = Counter()
    differing: Counter[str] = Counter()
    for slices, alignment in zip(slices_by_run, alignments, strict=True):
        for task, levels in slices.items():
            key = alignment.key(task) if alignment else task
            for name, level in levels.items():
                if (name, key) in first_levels:
                    common[name] += 1
                    differing[name] += first_levels[name, key] != level
                else:
                    first_levels[name, key] = level
    return frozenset(name for name, tasks_differing in differing.items() if tasks_differing > VARIES * common[name])


def _levels(tasks: Sequence[str], fields: Iterable[Column], *, of_inputs: bool) -> dict[str, dict[str, str]]:
    """Field → {task: level} for every field that can be a slice."""
    names, of_row = number(tasks)
    repeated = len(tasks) >= 2 * len(names)
    levels_by_field = {}
    fields = list(fields)
    of_attempts = _attempt_holders(fields, of_row) if repeated and not of_inputs else frozenset()
    for field in fields:
        if field.name.partition(".")[0] in of_attempts and not _names_a_way(field.name):
            continue
        if not _may_slice(field.name, of_inputs=of_inputs, repeated=repeated):
            continue
        if len(field.values) > MOST and field.spelled_apart() and not isinstance(field.values[0], float):
            continue
        levels = [_level(value) for value in field.values]
        if any(level is None for level in levels):
            continue
        different, codes = number(levels)
        row_codes, groups = codes[field.codes], of_row[field.rows]
        if len(different) > MOST or not constant(groups, row_codes):
            continue
        first = firsts(groups)
        by_task = {names[group]: different[code] for group, code in zip(groups[first], row_codes[first], strict=True)}
        if _qualifies(by_task.values(), len(names)):
            levels_by_field[field.name] = by_task
    return levels_by_field


def _attempt_holders(fields: Sequence[Column], of_row: Codes) -> frozenset[str]:
    """Records of the row most of whose fields differ between attempts at a task: what else they hold is no property.

    What a verifier notes of an attempt may be the same in all attempts at a task, as they go the same way there.
    """
    varying: Counter[str] = Counter()
    settled: Counter[str] = Counter()
    for field in fields:
        holder, inner, _ = field.name.partition(".")
        if inner and not field.name.startswith(_TASK_HOLDERS) and len(field.values) > 1:
            is_of_task = constant(of_row[field.rows], field.codes)
            (settled if is_of_task else varying)[holder] += 1
    return frozenset(holder for holder, many in varying.items() if many >= FEWEST and many > settled[holder])


def _names_a_way(name: str) -> bool:
    """Whether a field by its name says how a verifier judges, as a mode or a type: the task settles that."""
    return not _WAYS.isdisjoint(words(name)[-1:])


def _of_the_task(name: str) -> bool:
    """Whether a field of the row was there before the run: told by where it stands or by its name."""
    return name.startswith(_TASK_HOLDERS) or is_metadata(name)


def _may_slice(name: str, *, of_inputs: bool, repeated: bool) -> bool:
    if name in ID_FIELDS or name in _NEVER or name.rsplit(".", 1)[-1] in _NOT_OF_THE_TASK or is_gold(name):
        return False
    if not of_inputs and not _OUTCOME_HOLDERS.isdisjoint(name.split(".")[:-1]):
        return False
    return of_inputs or not (is_outcome(name) or is_pass_flag(name) or not (repeated or _of_the_task(name)))


def _level(value: Any) -> str | None:
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
    several = sum(tasks_with > 1 for tasks_with in counts.values())
    if not FEWEST <= len(counts) <= min(MOST, max(FEWEST, tasks // 2)) or several < SEVERAL * len(counts):
        return False
    return sum(counts.values()) * 2 > tasks


def slice_table(
    tasks: Sequence[TaskRows],
    slices: TaskSlices,
    rule: PassRule,
    hidden: Collection[str] = (),
    judged_tasks: Sequence[TaskRows] = (),
) -> list[dict[str, Any]]:
    """One line per field and level: how many tasks, how well they did, how sure that is. Hidden fields have none.

    A level that lost rollouts also has the same of those that were judged.
    """
    lines = _level_lines(tasks, slices, rule, hidden)
    judged_lines = _level_lines(judged_tasks, slices, rule, hidden) if judged_tasks else {}
    nothing = {"tasks": 0, "rollouts": 0, "score": None, "interval": None, "passes": None}
    table = []
    for (field, level), line in lines.items():
        judged_line = judged_lines.get((field, level), nothing)
        loses = bool(judged_tasks) and judged_line["rollouts"] < line["rollouts"]
        table.append({"field": field, "level": level, **line, **({"judged": judged_line} if loses else {})})
    return table


def _level_lines(
    tasks: Sequence[TaskRows], slices: TaskSlices, rule: PassRule, hidden: Collection[str]
) -> dict[tuple[str, str], dict[str, Any]]:
    groups: dict[tuple[str, str], list[int]] = {}
    for place, task in enumerate(tasks):
        for pair in slices.get(task.task, {}).items():
            if pair[0] in hidden:
                continue
            groups.setdefault(pair, []).append(place)
    counts = np.array([task.n for task in tasks], dtype=np.int64)
    means = np.array([task.total / task.n for task in tasks])
    passes = None if rule.threshold is None else np.array([task.passes or 0 for task in tasks], dtype=np.int64)
    lines = {}
    for pair, places in sorted(groups.items()):
        passes_in_level = None if passes is None else int(passes[places].sum())
        lines[pair] = {**_line(counts[places], means[places], unit=rule.scale == "unit"), "passes": passes_in_level}
    return lines


def _line(counts: npt.NDArray[np.int64], means: npt.NDArray[np.float64], *, unit: bool) -> dict[str, Any]:
    parts = components.components(counts, means, np.zeros(len(means)))
    rollouts, interval = int(counts.sum()), None
    if parts.score is not None and parts.se_super is not None and unit:
        interval = intervals.wilson_t(min(max(parts.score, 0.0), 1.0), len(means), rollouts, parts.se_super)
    return {"tasks": len(means), "rollouts": rollouts, "score": parts.score, "interval": interval}


def field_profile(facts: pl.DataFrame, fields: Iterable[Column]) -> list[dict[str, Any]]:
    """Every short field of the rows: on how many it stands, of what types, with how many values."""
    _, tasks = number(facts["task"].to_list())
    verdicts = facts["passed"]
    passed, has_verdict = verdicts.fill_null(value=False).to_numpy(), verdicts.is_not_null().to_numpy()
    return [{"field": field.name, **_profile(field, tasks, passed, has_verdict)} for field in fields]


def _profile(field: Column, tasks: Codes, passed: Flags, has_verdict: Flags) -> dict[str, Any]:
    if len(field.values) > MOST and field.spelled_apart():
        texts, codes = field.values, field.codes
    else:
        texts, text_codes = number([str(value) for value in field.values])
        codes = text_codes[field.codes]
    too_many = len(texts) > MOST
    rows, passes = np.bincount(codes), np.bincount(codes[passed[field.rows]], minlength=len(texts))
    common = (
        []
        if too_many
        else sorted(zip(texts, rows.tolist(), passes.tolist(), strict=True), key=lambda item: (-item[1], item[0]))
    )
    any_verdict = bool(has_verdict[field.rows].any())
    return {
        "rows": len(codes),
        "absent": len(tasks) - len(codes),
        "types": field.types(),
        "values": None if too_many else len(texts),
        "constant_per_task": constant(tasks[field.rows], codes),
        "common": [{"value": text, "rows": n, "passed": good if any_verdict else None} for text, n, good in common[:5]],
    }
