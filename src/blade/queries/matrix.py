"""Tasks against runs: how many of its judged attempts each task passes in each run, void attempts apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import polars as pl

from blade.errors import UsageError
from blade.index.tables import Index

SORTS = ("name", "rate", "change", "spread")


class TaskCell(NamedTuple):
    """A task in a run: passes, judged attempts, and attempts that say nothing about the model."""

    passes: int
    judged: int
    void: int

    @property
    def rate(self) -> float | None:
        return self.passes / self.judged if self.judged else None

    def __str__(self) -> str:
        fraction = f"{self.passes}/{self.judged}" if self.judged or not self.void else ""
        return f"{fraction} {f'v{self.void}' if self.void else ''}".strip()


class TaskLine(NamedTuple):
    task: str
    cells: Mapping[str, TaskCell]

    @property
    def rates(self) -> list[float]:
        return [cell.rate for cell in self.cells.values() if cell.rate is not None]

    def change(self, pair: tuple[str, str]) -> float | None:
        """How much higher the second run's rate is; None where one of them has no judged attempt."""
        first, last = (self.cells[run].rate if run in self.cells else None for run in pair)
        return None if first is None or last is None else last - first


def _counts(cell: TaskCell) -> dict[str, float]:
    return {
        "passes": cell.passes,
        "judged": cell.judged,
        "failures": cell.judged - cell.passes,
        "void": cell.void,
        "rollouts": cell.judged + cell.void,
    }


@dataclass(frozen=True)
class TaskMatrix:
    """The lines that are meant, of all tasks of the runs."""

    runs: tuple[str, ...]
    pair: tuple[str, str] | None
    lines: tuple[TaskLine, ...]
    of: int

    def totals(self) -> dict[str, TaskCell]:
        cells = {run: [line.cells[run] for line in self.lines if run in line.cells] for run in self.runs}
        return {
            run: TaskCell(*(sum(part) for part in zip(*run_cells, strict=True)))
            for run, run_cells in cells.items()
            if run_cells
        }

    def counts(self) -> dict[str, dict[str, float]]:
        """What a report may cite."""
        result: dict[str, dict[str, float]] = {
            run: {"tasks": sum(run in line.cells for line in self.lines), **_counts(total)}
            for run, total in self.totals().items()
        }
        return result | {"": {"tasks": len(self.lines), "of_tasks": self.of}}

    def counts_by_task(self) -> dict[str, dict[str, dict[str, float]]]:
        """Task → run → what its line in the table says."""
        return {line.task: {run: _counts(cell) for run, cell in line.cells.items()} for line in self.lines}


def matrix(index: Index, params: Mapping[str, Any], rows: pl.DataFrame) -> TaskMatrix:
    """`rows` are the rollouts that meet what is asked of rollouts: of their tasks one must have such a rollout."""
    runs = tuple(index.runs)
    pair = _pair(params.get("pair") or (), runs)
    everything = index.rollouts.select("task", "run", "passed", "void").collect()
    cells = _cells(everything)
    lines = [TaskLine(task, cells.get(task, {})) for task in index.tasks["task"].to_list()]
    of_rollouts = any(params.get(name) for name in ("run", "where", "outcome", "mode", "label", "status", "task"))
    lines_left = lines
    if of_rollouts:
        tasks = set(_with_mode_label_status(rows, params)["task"])
        lines_left = [line for line in lines_left if line.task in tasks]
    if params.get("slice"):
        tasks = set(_sliced(index, params["slice"]))
        lines_left = [line for line in lines_left if line.task in tasks]
    if params.get("bucket"):
        tasks = _in_bucket(index, params["bucket"], params.get("run") or runs)
        lines_left = [line for line in lines_left if line.task in tasks]
    if params.get("never"):
        lines_left = [line for line in lines_left if line.rates and not any(line.rates)]
    if params.get("moved"):
        if pair is None:
            raise UsageError(f"--{params['moved']} compares two runs; here is one.", "Give two runs.")
        sign = 1 if params["moved"] == "won" else -1
        lines_left = [line for line in lines_left if sign * (line.change(pair) or 0) > 0]
    return TaskMatrix(runs, pair, tuple(_sorted(lines_left, params.get("sort"), pair)), len(lines))


def _pair(names: Sequence[str], runs: Sequence[str]) -> tuple[str, str] | None:
    if names:
        return names[0], names[1]
    return (runs[0], runs[-1]) if len(runs) > 1 else None


def _cells(rows: pl.DataFrame) -> dict[str, dict[str, TaskCell]]:
    judged_attempts = ~pl.col("void")
    counts_frame = rows.group_by("task", "run").agg(
        (pl.col("passed").fill_null(value=False) & judged_attempts).sum().alias("passes"),
        judged_attempts.sum().alias("judged"),
        pl.col("void").sum().alias("voided"),
    )
    result: dict[str, dict[str, TaskCell]] = {}
    for task, run, passes, attempts_judged, void in counts_frame.sort("task", "run").iter_rows():
        result.setdefault(task, {})[run] = TaskCell(passes, attempts_judged, void)
    return result


def _with_mode_label_status(rows: pl.DataFrame, params: Mapping[str, Any]) -> pl.DataFrame:
    """The rollouts with the mode, the label and the status that are asked for, all on the same rollout."""
    if mode := params.get("mode"):
        has_name = pl.col("mode").str.to_lowercase().str.contains(mode.lower(), literal=True)
        rows = rows.filter((pl.col("mode_id") == mode) | has_name)
    if label := params.get("label"):
        rows = rows.filter(pl.col("label").str.split("+").list.contains(label))
    if status := params.get("status"):
        rows = rows.filter(pl.col("status") == status)
    return rows


def _sliced(index: Index, params: str) -> list[str]:
    field, equals, value = params.partition("=")
    if not equals:
        raise UsageError(f"'{params}' is no slice.", "Give field=value, such as difficulty=hard.")
    rows = index.rollouts.collect()
    name = next(
        (f"{kind}{field}" for kind in ("", "task_", "row_", "seconds_") if f"{kind}{field}" in rows.columns), ""
    )
    if not name:
        raise UsageError(f"No field is named '{field}'.", "The fields: blade count --columns RUN…")
    column = rows[name]
    if column.dtype.is_numeric() and value.replace(".", "", 1).isdecimal():
        return rows.filter(column == float(value))["task"].to_list()
    return rows.filter(column.cast(pl.String) == value)["task"].to_list()


def _in_bucket(index: Index, bucket: str, runs: Sequence[str]) -> set[str]:
    names = index.tasks["task"]
    in_bucket = index.results.filter((pl.col("bucket") == bucket) & pl.col("run").is_in(list(runs)))
    return {names[order] for order in in_bucket["order"].to_list()}


def _sorted(lines: Sequence[TaskLine], sort: str | None, pair: tuple[str, str] | None) -> list[TaskLine]:
    """In the order asked for; what has no rate comes last."""
    if sort == "rate":
        return sorted(lines, key=lambda line: sum(line.rates) / len(line.rates) if line.rates else 2.0)
    if sort == "spread":
        return sorted(lines, key=lambda line: min(line.rates) - max(line.rates) if line.rates else 1.0)
    if sort == "change" and pair is not None:
        changes = {line.task: line.change(pair) for line in lines}
        return sorted(lines, key=lambda line: 2.0 if changes[line.task] is None else changes[line.task] or 0.0)
    return list(lines)
