"""Which pairs of runs differ in one setting alone, with both scores on the tasks that were judged in both."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import polars as pl

from blade.change.single_differences import Alike, alike_but_for_one
from blade.index.tables import Index
from blade.queries.page import table
from blade.wording import listed


def pair_lines(index: Index) -> Iterator[str]:
    """Repeats, then a table of the pairs by the setting that differs; what was only read from rows may hide more."""
    passports = [(change["candidate"], change["passport"]) for change in index.facts["changes"]]
    groups = alike_but_for_one(index.runs, passports)
    repeats = [group for group in groups if not group.field]
    yield from (f"one configuration repeated: {listed(group.runs)}" for group in repeats)
    rows = [row for group in groups if group.field for row in _rows(index, group)]
    if not rows:
        yield "No two runs differ in one setting alone, as far as rows and configs tell."
        return
    yield from table(
        ["differs in", "from", "to", "tasks judged in both", "from passes", "to passes", "only from", "only to"], rows
    )
    yield "the whole comparison: blade report RUN… --pair FROM TO"


def _rows(index: Index, group: Alike) -> Iterator[list[str]]:
    values = dict(zip(group.runs, group.values, strict=True))
    for one, two in combinations(group.runs, 2):
        if values[one] != values[two]:
            yield [group.field, one, two, *_outcomes(index, one, two)]


def _outcomes(index: Index, one: str, two: str) -> list[str]:
    """Tasks judged in both; rollouts of these that pass, of all; and tasks that ever pass in one of them alone."""
    rows = (
        index.rollouts.filter(pl.col("run").is_in([one, two]) & ~pl.col("void"))
        .select("run", "task", "passed")
        .collect()
    )
    sides = [rows.filter(pl.col("run") == run) for run in (one, two)]
    common = set(sides[0]["task"].to_list()) & set(sides[1]["task"].to_list())
    sides = [side.filter(pl.col("task").is_in(list(common))) for side in sides]
    passed = [set(side.filter(pl.col("passed"))["task"].to_list()) for side in sides]
    shares = [f"{int(side['passed'].sum() or 0)} of {side.height}" for side in sides]
    return [f"{len(common)}", *shares, f"{len(passed[0] - passed[1])}", f"{len(passed[1] - passed[0])}"]
