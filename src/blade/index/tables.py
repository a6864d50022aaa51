"""What was found out: the analysis as plain data, and tables (attempts, results, tasks, rollouts) to be filtered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from blade.frozen import frozen
from blade.model import Source

ATTEMPTS: dict[str, Any] = {
    "order": pl.Int64,  # the task's place in the list of tasks
    "run": pl.String,
    "attempt": pl.Int64,
    "reward": pl.Float64,
    "passed": pl.Boolean,
    "state": pl.String,
    "outcome": pl.String,  # pass, fail, partial, broken: what a cell shows
    "reason": pl.String,
    "answer": pl.String,
    "mode": pl.String,
    "items": pl.Int32,
    "calls": pl.Int32,
    "tools": pl.List(pl.String),
    "noticed": pl.List(pl.String),  # detectors that fired and may be believed
    "sightings": pl.String,
    "path": pl.String,
    "line": pl.Int64,
    "offset": pl.Int64,
    "length": pl.Int64,
}
RESULTS: dict[str, Any] = {
    "order": pl.Int64,
    "run": pl.String,
    "bucket": pl.String,
    "mean": pl.Float64,
    "passes": pl.Int64,
    "attempts": pl.Int64,
    "expected": pl.Int64,
    "labels": pl.List(pl.String),
}
TASKS: dict[str, Any] = {
    "order": pl.Int64,
    "task": pl.String,
    "text": pl.String,
    "slices": pl.List(pl.String),  # "field: value"
}


@frozen
class IndexedAttempt:
    """One rollout as a page shows it."""

    order: int
    task: str
    run: str
    attempt: int
    reward: float | None
    passed: bool | None
    state: str
    outcome: str
    reason: str | None
    answer: str | None
    mode: str | None
    items: int | None
    calls: int | None
    tools: tuple[str, ...]
    noticed: tuple[str, ...]
    sightings: str | None
    source: Source


@dataclass(frozen=True)
class Index:
    """`facts` is what was worked out about the runs, as analysis.json holds it."""

    facts: Mapping[str, Any]
    attempts: pl.DataFrame
    results: pl.DataFrame
    tasks: pl.DataFrame
    rollouts: pl.LazyFrame
    """The wide table that queries ask (`blade.index.rollouts`): read only where it is needed."""

    @property
    def runs(self) -> list[str]:
        return [run["name"] for run in self.facts["runs"]]

    def mode_name(self, mode: str | None) -> str:
        return str(self.facts["mode_names"].get(mode, mode or ""))

    def order_of(self, task: str) -> int | None:
        orders = self.tasks.filter(pl.col("task") == task)["order"]
        return int(orders[0]) if len(orders) else None

    def task_at(self, order: int) -> dict[str, Any]:
        return dict(self.tasks.row(order, named=True))

    def attempts_of(self, orders: Sequence[int], run: str | None = None) -> dict[int, list[IndexedAttempt]]:
        """Task's place → its attempts, in the order of the runs."""
        rows = self.attempts.filter(pl.col("order").is_in(list(orders)))
        if run is not None:
            rows = rows.filter(pl.col("run") == run)
        attempts: dict[int, list[IndexedAttempt]] = {order: [] for order in orders}
        for attempt in self.read(rows):
            attempts[attempt.order].append(attempt)
        return attempts

    def results_of(self, orders: Sequence[int]) -> dict[int, dict[str, dict[str, Any]]]:
        """Task's place → run → its result there."""
        results: dict[int, dict[str, dict[str, Any]]] = {order: {} for order in orders}
        for row in self.results.filter(pl.col("order").is_in(list(orders))).iter_rows(named=True):
            results[row["order"]][row["run"]] = row
        return results

    def find(self, run: str, task: str, attempt: int) -> IndexedAttempt | None:
        order = self.order_of(task)
        if order is None:
            return None
        condition = (pl.col("order") == order) & (pl.col("run") == run) & (pl.col("attempt") == attempt)
        return next(self.read(self.attempts.filter(condition)), None)

    def read(self, rows: pl.DataFrame) -> Iterator[IndexedAttempt]:
        """Rows of the table of attempts as objects."""
        names = self.tasks["task"]
        for row in rows.iter_rows(named=True):
            source = Source(row.pop("path"), row.pop("line"), row.pop("offset"), row.pop("length"))
            row["tools"], row["noticed"] = tuple(row["tools"] or ()), tuple(row["noticed"] or ())
            yield IndexedAttempt(**row, task=names[row["order"]], source=source)
