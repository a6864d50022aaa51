"""Rows of another maker inside a run, told by a field that names a model, an agent or a configuration.

Such a field may be the tasks' own. One that another run of the analysis has with one value on all of its rows is not:
what differs from the main value then came from elsewhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from blade.counting.foreign import FEWEST_ROWS, FEWEST_TRACES, listed, minority
from blade.counting.run import Run
from blade.extract.makers import family
from blade.extract.names import words
from blade.model import Flaw

_MAKERS = frozenset("model agent harness checkpoint engine deployment config configuration policy".split())
_OTHERS = frozenset("judge verifier grader scorer evaluator user simulator reward reference".split())
"""Words of fields that name somebody else than the one who made the attempt."""
Names = list[str | None]


def settle_makers(runs: Sequence[Run]) -> list[Run]:
    """The runs with the rows set aside that another model, agent or configuration made."""
    if len(runs) < 2:
        return list(runs)
    makers = [_makers(run) for run in runs]
    constant = [
        {name for name, values in run_makers.items() if len(set(values)) == 1 and None not in values}
        for run_makers in makers
    ]
    settled_runs = []
    for place, run in enumerate(runs):
        other_names = set().union(*(names for at, names in enumerate(constant) if at != place))
        settled_runs.append(
            _without_others(run, {name: makers[place][name] for name in sorted(other_names & makers[place].keys())})
        )
    return settled_runs


def _makers(run: Run) -> dict[str, Names]:
    """Every field of words that names a maker: its value on each row, without dates and paths."""
    makers: dict[str, Names] = {}
    if run.facts.height < FEWEST_ROWS:
        return makers
    for column in run.columns:
        if _MAKERS.isdisjoint(words(column.name.rsplit(".", 1)[-1])) or not _OTHERS.isdisjoint(words(column.name)):
            continue
        names = [family(value) if isinstance(value, str) and value else None for value in column.values]
        values: Names = [None] * run.facts.height
        for row, code in zip(column.rows.tolist(), column.codes.tolist(), strict=True):
            values[row] = names[code]
        makers[column.name] = values
    return makers


def _without_others(run: Run, makers: dict[str, Names]) -> Run:
    for name, values in makers.items():
        foreign = minority(values)
        new = pl.Series(foreign) & ~run.facts["foreign"] & ~run.facts["copy"]
        if new.sum() < FEWEST_TRACES:
            continue
        foreign_names = Counter(value for value, is_foreign in zip(values, foreign, strict=True) if is_foreign)
        text = f"{new.sum()} rows were made by another maker than the rest of the run, as '{name}' says: "
        flaw = Flaw("foreign-rows", f"{text}{listed(foreign_names)}; they are not counted", rows=int(new.sum()))
        facts = run.facts.with_columns(
            (pl.col("foreign") | new).alias("foreign"), (pl.col("counted") & ~new).alias("counted")
        )
        return replace(run, facts=facts, flaws=(*run.flaws, flaw))
    return run
