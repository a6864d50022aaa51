"""Contradictory fields: a verdict field that agrees with the reward nearly always, and on some rows does not."""

from __future__ import annotations

import polars as pl

from blade.extract.verdict_flags import claims_the_pass
from blade.health import NO_THRESHOLD, Context, Item, Unchecked, item, row_evidence

SHOWN = 4


def unchecked(context: Context) -> Unchecked:
    reasons = {}
    for run in context.runs:
        if run.rule.threshold is None:
            reasons[run.name] = NO_THRESHOLD
        elif not any(claims_the_pass(column.name) and bool in map(type, column.values) for column in run.columns):
            reasons[run.name] = "no field of the rows was learned as a verdict that may differ from the reward"
    return reasons


def check(context: Context) -> list[Item]:
    findings = []
    for run in context.runs:
        rows = run.facts
        fields = run.fields() if run.verdicts.disputed else []
        is_counted, passed = rows["counted"].to_list(), rows["passed"].to_list()
        for name in sorted(run.verdicts.disputed):
            verdicts = [
                (place, bool(row[name]), bool(passed[place]))
                for place, row in enumerate(fields)
                if is_counted[place] and isinstance(row.get(name), bool)
            ]
            odd = [place for place, says, is_pass in verdicts if says != is_pass]
            if not odd:
                continue
            hit = rows[odd]
            evidence = [
                row_evidence(run, row, f"{name} against reward {row['reward']:g}")
                for row in hit.head(SHOWN).iter_rows(named=True)
            ]
            statement = (
                f"The field '{name}' contradicts the reward on {len(odd)} of {len(verdicts)} rows of {run.name}."
            )
            tasks = hit.select(pl.col("label").unique().sort())["label"].to_list()
            findings.append(
                item("contradictory_fields", "high", statement, tasks=tasks, evidence=evidence, run=run.name)
            )
    return findings
