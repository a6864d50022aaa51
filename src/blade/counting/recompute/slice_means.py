"""Means over a part of the rows: `mean/reward_output_CSV` is the mean reward where `output_type` is CSV."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from blade.counting.recompute.compare import agree
from blade.counting.recompute.rows import as_number

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
