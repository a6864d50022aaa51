"""Slices that no field names: what a task expects, its prompt's length and script, its id's family, values of a list.

They are searched like other slices, and shown only where their levels differ beyond chance in some run.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any

import orjson
import polars as pl

from blade.counting.run import Run
from blade.extract.scripts import LATIN
from blade.late_regex import late_regex
from blade.stats.quantiles import quantiles
from blade.stats.rank_sum import kruskal_p

FAMILY, VARIANT = "id family", "id variant"
KIND, ANSWERS, PROMPT = "expected answer", "number of expected answers", "prompt length"
SCRIPT, KEY_SCRIPT = "script of the prompt", "script of the expected answer"
INCLUDES = " includes "
FEWEST_TASKS = 20
FEWEST_FOR_QUARTERS = 40
FEWEST_OF_A_VALUE = 5
MOST_VALUES = 20
MANY_ANSWERS = 3
CONSTANT = 0.95
SURE = 0.01
BY_DATE = " (by date)"
SHORTEST_SPAN = 90
"""Days between the first and the last date of the tasks, so that quarters of them tell of different times."""
QUARTERS = ("1st quarter (shortest)", "2nd quarter", "3rd quarter", "4th quarter (longest)")
_ID = late_regex(r"(.+)[._\-/:]([^._\-/:]+)")
_NAMED_BY_TEXT = ("text:", "row:")

Levels = dict[str, dict[str, str]]


def is_derived(field: str) -> bool:
    return (
        field in {FAMILY, VARIANT, KIND, ANSWERS, PROMPT, SCRIPT, KEY_SCRIPT}
        or INCLUDES in field
        or field.endswith(BY_DATE)
    )


def field_words(field: str) -> str:
    """A field as sentences say it: what no row names by a field has words of its own."""
    return {FAMILY: "the task family", VARIANT: "the end of the id"}.get(field, field)


def derived_slices(runs: Sequence[Run], qualifies: Callable[[Sequence[str], int], bool]) -> list[Levels]:
    """Per run: field → {task: level}. The quarters of the prompt lengths are those of all runs together.

    A task without a prompt has no length: its prompt was not recorded, and is not the shortest.
    """
    run_properties = [_properties(run) for run in runs]
    lengths = [
        properties["prompt"] for tasks in run_properties for properties in tasks.values() if properties.get("prompt")
    ]
    cuts = quantiles(lengths, (0.25, 0.5, 0.75)) if lengths else [0.0, 0.0, 0.0]
    values = _values(run_properties)
    days = _days(run_properties)
    levels_by_run = []
    for tasks in run_properties:
        levels: Levels = {}
        if len(tasks) >= FEWEST_TASKS:
            for field, task, level in (*_levels(tasks, cuts, values), *_dated(tasks, days)):
                levels.setdefault(field, {})[task] = level
        levels_by_run.append(
            {
                name: task_levels
                for name, task_levels in levels.items()
                if qualifies(list(task_levels.values()), len(tasks))
            }
        )
    return levels_by_run


def _properties(run: Run) -> dict[str, dict[str, Any]]:
    """What the first row of every task tells of it; the prompt's length only where attempts have one text."""
    rows = run.facts.group_by("task", maintain_order=True).agg(
        pl.first("label"), pl.first("observed"), pl.col("text_hash").n_unique().alias("texts")
    )
    one_text = sum(texts <= 1 for texts in rows["texts"].to_list()) >= CONSTANT * rows.height
    properties = {}
    for task, label, observed, _ in rows.iter_rows():
        task_facts = dict(orjson.loads(observed).get("task", {})) if observed else {}
        if not one_text:
            task_facts.pop("prompt", None)
        properties[task] = task_facts | {"label": label}
    return properties


def _values(run_properties: Sequence[Mapping[str, Mapping[str, Any]]]) -> tuple[tuple[str, str], ...]:
    """The values of list fields that several tasks have and several have not, the commonest first."""
    counts: Counter[tuple[str, str]] = Counter()
    tasks: Counter[str] = Counter()
    for properties in (properties for run in run_properties for properties in run.values()):
        for field, words in properties.get("lists", {}).items():
            tasks[field] += 1
            counts.update((field, word) for word in words)
    usable = {
        pair: tasks_with
        for pair, tasks_with in counts.items()
        if FEWEST_OF_A_VALUE <= tasks_with <= tasks[pair[0]] - FEWEST_OF_A_VALUE
    }
    return tuple(sorted(usable, key=lambda pair: (-usable[pair], pair))[:MOST_VALUES])


def _days(known: Sequence[Mapping[str, Mapping[str, Any]]]) -> dict[str, list[str]]:
    """Per field of dates the first days of its quarters; only of fields that span a season or more."""
    dates: defaultdict[str, list[str]] = defaultdict(list)
    for properties in (properties for run in known for properties in run.values()):
        for field, day in properties.get("dates", {}).items():
            if _ordinal(day):
                dates[field].append(day)
    return {
        field: sorted({ordered[len(ordered) * part // 4] for part in range(4)})
        for field, some in dates.items()
        if (ordered := sorted(some)) and _ordinal(ordered[-1]) - _ordinal(ordered[0]) >= SHORTEST_SPAN
    }


def _ordinal(day: str) -> int:
    """The number of a day; 0 where there is no such day."""
    try:
        return date.fromisoformat(day).toordinal()
    except ValueError:
        return 0


def _dated(tasks: Mapping[str, Mapping[str, Any]], days: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, str, str]]:
    """The quarter of the dates in which a task lies, named by its first day."""
    for task, properties in tasks.items():
        for field, day in properties.get("dates", {}).items():
            begins = days.get(field, ())
            if len(tasks) >= FEWEST_FOR_QUARTERS and len(begins) > 1 and _ordinal(day):
                place = max(bisect_right(begins, day) - 1, 0)
                ends = begins[place + 1 : place + 2]
                yield f"{field}{BY_DATE}", task, f"{begins[place]} until {ends[0]}" if ends else f"from {begins[place]}"


def _levels(
    tasks: Mapping[str, Mapping[str, Any]], cuts: Sequence[float], values: Sequence[tuple[str, str]]
) -> Iterator[tuple[str, str, str]]:
    stems = {parts.group(1) for properties in tasks.values() if (parts := _id_parts(str(properties["label"])))}
    for task, properties in tasks.items():
        if "kind" in properties:
            yield KIND, task, str(properties["kind"])
            answers = int(properties["answers"])
            yield ANSWERS, task, f"{MANY_ANSWERS} or more" if answers >= MANY_ANSWERS else str(answers)
        if properties.get("prompt") and len(tasks) >= FEWEST_FOR_QUARTERS and cuts[0] < cuts[2]:
            yield PROMPT, task, QUARTERS[bisect_left(cuts, properties["prompt"])]
        if properties.get("prompt"):
            yield SCRIPT, task, properties.get("script", LATIN)
        if "key_script" in properties:
            yield KEY_SCRIPT, task, properties["key_script"]
        for field, words in properties.get("lists", {}).items():
            for of, word in values:
                if of == field:
                    yield f"{field}{INCLUDES}{word}", task, "yes" if word in words else "no"
        label = str(properties["label"])
        parts = _id_parts(label)
        if label in stems:  # variants are named after it: it is the first of its own family
            yield FAMILY, task, label
        elif parts is not None:
            yield FAMILY, task, parts.group(1)
            if not parts.group(2).isdecimal():
                yield VARIANT, task, parts.group(2)


def _id_parts(label: str) -> re.Match[str] | None:
    """An id as a family and a variant; None for a number, and for what is named by its text."""
    parts = None if label.startswith(_NAMED_BY_TEXT) else _ID.fullmatch(label)
    return None if parts is None or parts.group(1).isdecimal() else parts


def useless(scores: Sequence[Mapping[str, float]], slices: Sequence[Mapping[str, Mapping[str, str]]]) -> frozenset[str]:
    """The derived fields whose levels differ in no run beyond chance (Kruskal and Wallis, for all that are tried)."""
    fields = {name for task_slices in slices for levels in task_slices.values() for name in levels if is_derived(name)}
    tests = max(len(fields) * len(slices), 1)
    telling = set()
    for means, of_tasks in zip(scores, slices, strict=True):
        for name in fields:
            groups: defaultdict[str, list[float]] = defaultdict(list)
            for task, mean in means.items():
                level = of_tasks.get(task, {}).get(name)
                if level is not None:
                    groups[level].append(mean)
            if _p(list(groups.values())) <= SURE / tests:
                telling.add(name)
    return frozenset(fields - telling)


def _p(samples: Sequence[Sequence[float]]) -> float:
    if len(samples) < 2 or len({value for sample in samples for value in sample}) < 2:
        return 1.0
    return kruskal_p(samples)
