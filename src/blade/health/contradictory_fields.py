"""Contradictory fields: a verdict field that agrees with the reward nearly always, and on some rows does not."""

from __future__ import annotations

import polars as pl

from blade.extract.names import is_pass_flag
from blade.health import Context, Item, item, row_evidence

MOSTLY = 0.9
FEWEST_ROWS = 10
SHOWN = 4


def check(context: Context) -> list[Item]:
    found = []
    for run in context.runs:
        if run.rule.threshold is None:
            continue
        rows = run.facts
        fields = run.fields()
        counted = rows["counted"].to_list()
        passed = rows["passed"].to_list()
        for name in sorted({name for row in fields for name in row if is_pass_flag(name)}):
            told = [
                (place, bool(row[name]), bool(passed[place]))
                for place, row in enumerate(fields)
                if counted[place] and isinstance(row.get(name), bool)
            ]
            odd = [place for place, says, is_pass in told if says != is_pass]
            if len(told) < FEWEST_ROWS or not odd or len(odd) > (1 - MOSTLY) * len(told):
                continue
            hit = rows[odd]
            evidence = [
                row_evidence(run, row, f"{name} against reward {row['reward']:g}")
                for row in hit.head(SHOWN).iter_rows(named=True)
            ]
            statement = f"The field '{name}' contradicts the reward on {len(odd)} of {len(told)} rows of {run.name}."
            tasks = hit.select(pl.col("label").unique().sort())["label"].to_list()
            found.append(item("contradictory_fields", "high", statement, tasks=tasks, evidence=evidence, run=run.name))
    return found
