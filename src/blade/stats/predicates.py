"""What can be said of a task from its metadata: yes-or-no statements, each true of enough tasks to be tested.

A field holds, for each task, a level, a number, a list of tags, or nothing. Levels and tags give one predicate each,
and the rare ones together give `other`; numbers give quartile bins and halves; nothing is a level of its own. A
predicate must be true of at least s = max(10, 2 % of the tasks), and false of as many.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Value: TypeAlias = str | float | Sequence[str] | None
"""A level (text or a boolean), a number, tags, or nothing. NaN and no tags at all are nothing."""

MOST_LEVELS = 50
"""A field with more levels or tags than this is an id or free text, and is left out."""

OTHER = "other"


@dataclass(frozen=True, slots=True, eq=False)
class Predicates:
    names: tuple[str, ...]  # sorted
    members: npt.NDArray[np.bool_]  # tasks x predicates


def least_support(tasks: int) -> int:
    """How many tasks a predicate must be true of: max(10, 2 % of the tasks, rounded up)."""
    return max(10, math.ceil(tasks / 50))


def predicates(metadata: Sequence[Mapping[str, Value]]) -> Predicates:
    """All predicates of the tasks' metadata, sorted by name; a field a task does not have is nothing there.

    There are none for fewer than 20 tasks. A level called `other` joins the rare ones. Where a field mixes numbers with
    text, its numbers are levels.
    """
    tasks, least = len(metadata), least_support(len(metadata))
    members_by_name: dict[str, npt.NDArray[np.bool_]] = {}
    for field in sorted({field for task in metadata for field in task}):
        values = [_clean(task.get(field)) for task in metadata]
        field_predicates = _of_field(field, values, least)
        members_by_name |= {
            name: members for name, members in field_predicates if least <= members.sum() <= tasks - least
        }
    names = tuple(sorted(members_by_name))
    columns = [members_by_name[name] for name in names]
    return Predicates(names, np.stack(columns, axis=1) if columns else np.zeros((tasks, 0), dtype=np.bool_))


def _clean(value: Value) -> tuple[str, ...] | float | None:
    """Levels and tags as tuples of words, numbers as floats, nothing as None."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, bool | np.bool_):
        return ("true" if value else "false",)
    if isinstance(value, str):
        return (value,)
    if isinstance(value, Sequence):
        return tuple(sorted({str(tag) for tag in value})) or None
    return float(value)


def _of_field(
    field: str, values: Sequence[tuple[str, ...] | float | None], least: int
) -> Iterator[tuple[str, npt.NDArray[np.bool_]]]:
    yield f"{field} is missing", np.array([value is None for value in values])
    present = [value for value in values if value is not None]
    if present and all(isinstance(value, float) for value in present):
        numbers = np.array([value if isinstance(value, float) else math.nan for value in values])
        yield from _of_numbers(field, numbers)
    else:
        words = [() if value is None else (f"{value:.12g}",) if isinstance(value, float) else value for value in values]
        yield from _of_words(field, words, least)


def _of_words(field: str, words: Sequence[tuple[str, ...]], least: int) -> Iterator[tuple[str, npt.NDArray[np.bool_]]]:
    support = Counter(word for task in words for word in task)
    if len(support) > MOST_LEVELS:
        return
    rare = {word for word, tasks in support.items() if tasks < least} | {OTHER}
    for word in support.keys() - rare:
        yield f"{field}={word}", _any(words, {word})
    yield f"{field}={OTHER}", _any(words, rare)


def _any(words: Iterable[tuple[str, ...]], wanted_words: set[str]) -> npt.NDArray[np.bool_]:
    return np.array([not wanted_words.isdisjoint(task) for task in words])


def _of_numbers(field: str, numbers: npt.NDArray[np.float64]) -> Iterator[tuple[str, npt.NDArray[np.bool_]]]:
    """Bins that end at the quartiles, and both sides of the median. Quartiles are values that occur; equal ones merge.

    Comparisons with NaN are false, so a task without the number is in no bin.
    """
    ordered = np.sort(numbers[~np.isnan(numbers)])
    first, median, third = (float(ordered[math.ceil(len(ordered) * share) - 1]) for share in (0.25, 0.5, 0.75))
    yield f"{field}<={median:.12g}", numbers <= median
    yield f"{field}>{median:.12g}", numbers > median
    edges = sorted({first, median, third})
    yield f"{field}<={edges[0]:.12g}", numbers <= edges[0]
    for low, high in pairwise(edges):
        yield f"{low:.12g}<{field}<={high:.12g}", (numbers > low) & (numbers <= high)
    yield f"{field}>{edges[-1]:.12g}", numbers > edges[-1]
