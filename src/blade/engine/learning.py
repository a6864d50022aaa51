"""What the fields of runs are, learned from their first rows where no name tells it, before they are read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from blade.engine.classify import ClassifiedFile
from blade.engine.plan import RunPlan
from blade.extract.declared import Declared
from blade.extract.learned_fields import is_told, is_untold, learn
from blade.files.lines import UNREADABLE, iter_lines, open_bytes, parse
from blade.files.remote_paths import is_remote

FIRST_ROWS = 20
MOST_ROWS = 480
MOST_BYTES = 8 << 20
"""So many of the first rows are looked at, those of all runs together."""


def with_learned_fields(declared: Sequence[Declared], plans: Sequence[RunPlan]) -> list[Declared]:
    """The declarations of runs with what the rows show; runs whose rows have the same fields show it together."""
    shapes: dict[frozenset[str], list[int]] = {}
    for number, plan in enumerate(plans):
        rows = _first_rows(plan.rollouts, FIRST_ROWS, MOST_BYTES)
        if rows and is_untold(rows) and not is_told(_first_rows(plan.of("inputs"), FIRST_ROWS, MOST_BYTES)):
            shapes.setdefault(frozenset(rows[0]), []).append(number)
    extended = list(declared)
    for numbers in shapes.values():
        share = len(numbers)
        rows = [
            row
            for number in numbers
            for row in _first_rows(plans[number].rollouts, MOST_ROWS // share, MOST_BYTES // share)
        ]
        learned = learn(rows, declared[numbers[0]].reward_field)
        for number in numbers if learned else ():
            extended[number] = replace(declared[number], learned=learned)
    return extended


def _first_rows(files: Sequence[ClassifiedFile], most: int, most_bytes: int) -> list[dict[str, Any]]:
    """The first rows that can be read; none of files that lie elsewhere."""
    rows: list[dict[str, Any]] = []
    for item in files:
        if len(rows) < most and not is_remote(item.path):
            rows += _rows_of(item.path, most - len(rows), most_bytes)
    return rows


def _rows_of(path: Path, most: int, most_bytes: int) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    size = 0
    try:
        with open_bytes(path) as stream:
            for line in iter_lines(stream):
                value = parse(line.data).value
                rows += [value] if isinstance(value, dict) else []
                size += len(line.data)
                if len(rows) >= most or size >= most_bytes:
                    break
    except UNREADABLE:
        return rows
    return rows
