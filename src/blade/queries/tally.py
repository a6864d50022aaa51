"""How many rollouts and tasks are meant, and how they ended: what every question counts alike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from blade.queries.page import table
from blade.wording import percent

ALL = ""


@dataclass(frozen=True)
class OutcomeCounts:
    """Rollouts of one run. Passes and failures are of rollouts that ran and were judged; void ones stand apart."""

    rollouts: int
    tasks: int
    passes: int
    failures: int
    void: int

    def data(self) -> dict[str, float]:
        return {
            "rollouts": self.rollouts,
            "tasks": self.tasks,
            "passes": self.passes,
            "failures": self.failures,
            "void": self.void,
        }


def tally(rows: pl.DataFrame) -> OutcomeCounts:
    verdicts = rows.filter(~pl.col("void"))["passed"]
    return OutcomeCounts(
        rows.height,
        rows["task"].n_unique(),
        int(verdicts.sum() or 0),
        int((~verdicts).sum() or 0),
        int(rows["void"].sum() or 0),
    )


def by_run(rows: pl.DataFrame, runs: Sequence[str]) -> dict[str, OutcomeCounts]:
    """The tally of every run, and of all together where there are several."""
    tallies = {run: tally(rows.filter(pl.col("run") == run)) for run in runs}
    return tallies | ({ALL: tally(rows)} if len(runs) > 1 else {})


def counts(matching: Mapping[str, OutcomeCounts], searched: Mapping[str, OutcomeCounts]) -> dict[str, dict[str, float]]:
    """What a report may cite: the rollouts found, and those among which they were sought as `of_…`."""
    return {
        run: outcome.data() | {f"of_{name}": value for name, value in searched[run].data().items()}
        for run, outcome in matching.items()
    }


def lines(
    matching: Mapping[str, OutcomeCounts], searched: Mapping[str, OutcomeCounts], *, with_rate: bool = False
) -> Iterator[str]:
    """A table of the counts, each as a part of those among which it was sought; the rate is that of rollouts."""
    head = ["run", "rollouts", *(["rate"] if with_rate else []), "tasks", "passes", "failures", "void"]
    rows = []
    for run, outcome in matching.items():
        totals = searched[run].data()
        cells = [f"{int(value):,} of {int(totals[name]):,}" for name, value in outcome.data().items()]
        rate = percent(outcome.rollouts / searched[run].rollouts) if searched[run].rollouts else ""
        rows.append([run or "all runs", cells[0], *([rate] if with_rate else []), *cells[1:]])
    yield from table(head, rows)
