"""Finds one rollout by the words a reader has: its task, its attempt, its run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from difflib import get_close_matches

import polars as pl

from blade.counting.run import Run
from blade.detectors import read_sightings
from blade.errors import NotFound
from blade.findings import Sighting
from blade.frozen import frozen
from blade.model import NOT_EVALUABLE, Rollout, Source, Status
from blade.run_names import run_named
from blade.task_names import task_named

_VOID = pl.col("state").is_in([status.value for status in NOT_EVALUABLE]) | pl.col("stage_lost").is_not_null()


@frozen
class Found:
    """A rollout with what stands around it: why it has its status, and the outcomes of its task's attempts."""

    rollout: Rollout
    reason: str | None
    attempts: tuple[tuple[int, bool | None, float | None], ...]
    sightings: Mapping[str, Sighting] = field(default_factory=dict)
    """What the detectors noticed in it, by their names."""
    observed: str | None = None
    """What it did, as JSON (`extract.observed`)."""
    row: str = ""
    """The hash of its row, by which annotations know it."""
    void_attempts: tuple[int, ...] = ()
    """The attempts of its task that did not run or were not judged."""


def find_rollout(runs: Sequence[Run], task: str, *, attempt: int | None = None, run: str | None = None) -> Found:
    """One rollout; without an attempt the first that was judged and failed, else the first judged, else any failure."""
    searched = _runs(runs, run)
    for searched_run in searched:
        rows = searched_run.facts.filter(~pl.col("copy") & ((pl.col("label") == task) | (pl.col("task") == task))).sort(
            "attempt"
        )
        if rows.height:
            return _pick(searched_run, rows, task, attempt)
    labels = sorted({label for searched_run in searched for label in searched_run.facts["label"].to_list()})
    whole_name = task_named(task, labels)
    if whole_name is not None and whole_name != task:
        return find_rollout(runs, whole_name, attempt=attempt, run=run)
    near = get_close_matches(task, labels, 3)
    hint = f"Nearest: {', '.join(near)}." if near else f"Tasks here: {', '.join(labels[:5])}, …"
    raise NotFound(
        f"No rollout of a task '{task}' in {', '.join(searched_run.name for searched_run in searched)}.", hint
    )


def _runs(runs: Sequence[Run], name: str | None) -> list[Run]:
    if name is None:
        return list(runs)
    whole_name = run_named(name, [run.name for run in runs])
    return [run for run in runs if run.name == whole_name]


def _pick(run: Run, rows: pl.DataFrame, task: str, attempt: int | None) -> Found:
    numbers = rows["attempt"].to_list()
    if attempt is None:
        preferred = (~_VOID & ~pl.col("passed"), ~_VOID, ~pl.col("passed"))
        attempt = next((number for condition in preferred for number in rows.filter(condition)["attempt"]), numbers[0])
    if attempt not in numbers:
        raise NotFound(
            f"Task '{task}' of {run.name} has no attempt {attempt}.",
            f"Attempts here: {', '.join(map(str, numbers))}.",
        )
    row = rows.filter(pl.col("attempt") == attempt).row(0, named=True)
    source = Source(run.raw.sources[row["file"]], row["line"], row["offset"], row["length"])
    rollout = Rollout(run.name, row["label"], attempt, row["reward"], Status(row["state"]), row["passed"], source)
    attempts = tuple(rows.select("attempt", "passed", "reward").rows())
    return Found(
        rollout,
        row["reason"],
        attempts,
        read_sightings(row["sightings"]),
        row["observed"],
        f"{row['row_hash']:016x}",
        tuple(rows.filter(_VOID)["attempt"].to_list()),
    )
