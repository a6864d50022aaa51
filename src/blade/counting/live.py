"""Counts a run while it is written: each addition costs what is new in it."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from blade.counting.status import judge_rows
from blade.counting.summary import Summary, summarize
from blade.counting.totals import add_unseen, declare, gather, per_task, slim_inputs, slim_rows
from blade.facts.table import empty
from blade.model import Status
from blade.options import Options

LOOKED_AT = 400
RECENT = 40
FEWEST = 8
SHARE = 0.25


class LiveCount:
    """Add rows as they come; `summary()` tells what is known by now."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._threshold = options.pass_threshold
        self._rows: list[pl.DataFrame] = []
        self._totals: pl.DataFrame | None = None
        self._expected: pl.DataFrame | None = None
        self._latest = empty()

    def expect(self, inputs: pl.DataFrame) -> None:
        """What was asked."""
        self._expected = slim_inputs(inputs)

    def add(self, facts: pl.DataFrame, file: int = 0) -> None:
        """More rows. Only the tasks that they belong to are counted again."""
        if not facts.height:
            return
        new = slim_rows(facts, file, self._options.slices, self._options.match_by)
        touched = new.select("task").unique()
        self._rows.append(new)
        touched_rows = pl.concat([frame.join(touched, on="task", how="semi") for frame in self._rows])
        fresh = per_task(touched_rows, 1.0 if self._threshold is None else self._threshold)
        totals = self._totals
        self._totals = fresh if totals is None else pl.concat([totals.join(touched, on="task", how="anti"), fresh])
        self._latest = pl.concat([self._latest, facts]).tail(LOOKED_AT)
        if len(self._rows) > RECENT:
            self._rows = [pl.concat(self._rows, rechunk=True)]

    def summary(self) -> Summary:
        if self._totals is None:
            return Summary(expected=None if self._expected is None else int(self._expected["expected"].sum()))
        repeats, limit = self._options.repeats, self._options.limit
        tasks = gather(declare(self._totals, self._expected, repeats))
        return replace(summarize(add_unseen(tasks, repeats, limit), self._threshold), alarm=self._alarm())

    def _alarm(self) -> str:
        """Whether infrastructure breaks the rollouts that came last."""
        last = judge_rows(self._latest).frame.tail(RECENT)
        broken = last.filter(pl.col("state") == Status.INFRASTRUCTURE.value)
        if broken.height < FEWEST or broken.height / last.height < SHARE:
            return ""
        line, reason = broken.select("line", "reason").row(0)
        return (
            f"{broken.height} of the last {last.height} rollouts were broken by infrastructure "
            f"(first on line {line}: {reason})"
        )
