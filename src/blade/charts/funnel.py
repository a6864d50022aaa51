"""Funnel: the share of rollouts that reach each stage, run beside run."""

from __future__ import annotations

from typing import Any

from blade.document import Picture, Table
from blade.drawing import Bar, grouped_bars, percent_label, short, titled
from blade.model import Analysis
from blade.pages.colours import run_colour
from blade.wording import percent

TITLE = "How far the rollouts get"
SECTION = "workflow_funnel"
FEWEST = 3
RUNS_SHOWN = 20


def draw(analysis: Analysis) -> Picture | None:
    """Where a chain of stages is known, and at least three belong to it."""
    chain = [stage for stage in analysis.funnel if stage["necessary"]]
    if len(chain) < FEWEST:
        return None
    runs = analysis.runs[:RUNS_SHOWN]
    rows: list[dict[str, Any]] = []
    for stage in chain:
        for place, run in enumerate(runs):
            line = stage["runs"][run.name]
            share = line["reached"] / line["of"] if line["of"] else 0.0
            cell_text = f"{line['reached']:,} ({percent(share, 0)})"
            rows.append(
                {
                    "stage": stage["stage"],
                    "run": short(run.name),
                    "share": share,
                    "told": cell_text,
                    "colour": run_colour(place).light,
                }
            )
    lines = tuple((stage["stage"], *(row["told"] for row in rows if row["stage"] == stage["stage"])) for stage in chain)
    phrases = [
        f"{stage}: " + ", ".join(f"{run.name} {cell}" for run, cell in zip(runs, cells, strict=True))
        for stage, *cells in lines
    ]
    table = Table(("Stage", *(f">{run.name}" for run in runs)), lines)
    title = titled(TITLE, (len(runs), len(analysis.runs), "runs"))
    return Picture("funnel", title, "; ".join(phrases) + ".", table, _chart(rows))


def _chart(rows: list[dict[str, Any]]) -> str:
    bars = [Bar(row["stage"], row["run"], row["share"], row["told"], row["colour"]) for row in rows]
    return grouped_bars(bars, [0, 0.2, 0.4, 0.6, 0.8, 1], title="rollouts that reached it", label=percent_label)
