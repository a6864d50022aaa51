"""How every attempt of a task came out, as one letter each: what the task matrix is drawn from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import polars as pl

from blade.model import Status, TaskResult

MOST = 64
"""Letters kept per task: a matrix shows no more attempts."""
_LETTERS = {
    Status.MISSING.value: "m",
    Status.SKIPPED.value: "s",
    Status.INFRASTRUCTURE.value: "i",
    Status.VERIFIER_ERROR.value: "v",
}


def with_outcomes(results: Mapping[str, TaskResult], facts: pl.DataFrame) -> dict[str, TaskResult]:
    """The results with a letter per attempt; copies and foreign rows are left out."""
    own_rows = facts.filter(~pl.col("copy") & ~pl.col("foreign")).sort("task", "attempt", "row_hash")
    letters: dict[str, list[tuple[int, str]]] = {}
    for task, attempt, state, passed in own_rows.select("task", "attempt", "state", "passed").iter_rows():
        letters.setdefault(task, []).append((attempt, _letter(state, passed)))
    return {task: replace(result, outcomes=_line(result, letters.get(task, []))) for task, result in results.items()}


def _letter(state: str, passed: bool | None) -> str:
    return _LETTERS.get(state) or ("g" if passed is None else "p" if passed else "f")


def _line(result: TaskResult, letters: list[tuple[int, str]]) -> str:
    """The letters, each at the place of its attempt where those count from zero; else in order, the gaps at the end."""
    length = min(MOST, max(result.expected or 0, len(letters)))
    placed = {attempt: letter for attempt, letter in letters if 0 <= attempt < length}
    if len(placed) == len(letters):
        return "".join(placed.get(attempt, "m") for attempt in range(length))
    return "".join(letter for _, letter in letters)[:length].ljust(length, "m")
