"""Failure modes: how many rollouts of a run fail in which way; of several runs, how many show the sign of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from blade.document import Picture, Table
from blade.drawing import WIDTH, Bar, grouped_bars, number_label, number_ticks, short, titled
from blade.model import Analysis
from blade.pages.colours import run_colour
from blade.wording import count, percent

TITLE = "Failure modes"
SECTION = "dominant_failure_modes"
SHOWN = 12
RUNS_SHOWN = 20
NOT_RECORDED = "not recorded"


def draw(analysis: Analysis) -> Picture | None:
    if not analysis.modes:
        return None
    runs = analysis.runs[:RUNS_SHOWN]
    several = len(runs) > 1
    rows: list[dict[str, Any]] = []
    lines = []
    for mode in analysis.modes[:SHOWN]:
        cells = []
        for place, run in enumerate(runs):
            line = mode.runs[run.name]
            rollouts = line["any_rollouts" if several else "rollouts"]
            cells.append(_cell(line, rollouts, several=several))
            rows.append(
                {
                    "mode": short(mode.name, 56),
                    "run": short(run.name),
                    "rollouts": rollouts,
                    "told": f"{rollouts:,}" if line["recorded"] else NOT_RECORDED,
                    "colour": run_colour(place).light,
                }
            )
        lines.append((mode.name, *cells))
    phrases = [
        f"{name}: " + ", ".join(f"{run.name} {cell}" for run, cell in zip(runs, cells, strict=True))
        for name, *cells in lines[:6]
    ]
    left = len(analysis.modes) - 6
    remainder = f"; and {count(left, 'more mode')}." if left > 0 else "."
    table = Table(("Failure mode", *(f">{run.name}" for run in runs)), tuple(lines))
    before = "Rollouts that show each failure mode's symptom. " if several else ""
    title = titled(TITLE, (len(lines), len(analysis.modes), "modes"), (len(runs), len(analysis.runs), "runs"))
    return Picture("failure_modes", title, before + "; ".join(phrases) + remainder, table, _chart(rows))


def _cell(line: Mapping[str, Any], rollouts: int, *, several: bool) -> str:
    if not several:
        return f"{rollouts:,} ({percent(line['share_of_failures'], 0)} of its failures)"
    return f"{rollouts:,}" if line["recorded"] else NOT_RECORDED


def _chart(rows: list[dict[str, Any]]) -> str:
    several = len({row["run"] for row in rows}) > 1
    largest = max(row["rollouts"] for row in rows)
    bars = [Bar(row["mode"], row["run"], row["rollouts"], row["told"], row["colour"]) for row in rows]
    return grouped_bars(
        bars,
        number_ticks(0, max(largest, 1), 5, smallest=1),
        title="rollouts that show it" if several else "failed rollouts",
        label=number_label,
        width=WIDTH - 100,
    )
