"""Scores: every run with its interval, over all rows and over those that say something about the model."""

from __future__ import annotations

from typing import Any

from blade.document import Picture, Table
from blade.drawing import RowPlot, axis_label, short, titled
from blade.model import Analysis
from blade.pages.colours import run_colour
from blade.wording import score, span

TITLE = "Scores with their 95% intervals"
SECTION = "aggregate_results"
SHOWN = 24
PAIR = 2
"""Of more runs the best comes first, as in the table of the runs; checkpoints stand in their order."""


def draw(analysis: Analysis) -> Picture | None:
    scored = [(place, run) for place, run in enumerate(analysis.runs) if run.metrics["score"] is not None]
    if analysis.series is None and len(scored) > PAIR:
        scored.sort(key=lambda pair: -float(pair[1].metrics["score"]))
    runs = scored[:SHOWN]
    if not runs or len({run.scale for _, run in runs}) > 1:
        return None
    rows, lines = [], []
    for place, run in runs:
        for words, metrics in (("", run.metrics), ("judged rollouts only", run.metrics["evaluable"])):
            value, interval = metrics["score"], metrics["score_interval"]
            if value is None or (words and abs(value - run.metrics["score"]) < 5e-4):
                continue
            name = short(run.name) + (f", {words}" if words else "")
            low, high = interval or (value, value)
            score_text = score(value, run.scale)
            lines.append((name, score_text, span(interval, run.scale) if interval else ""))
            rows.append(
                {
                    "run": name,
                    "value": value,
                    "low": low,
                    "high": high,
                    "told": score_text,
                    "colour": run_colour(place).light,
                    "whole": not words,
                }
            )
    alt = (
        "; ".join(
            f"{name} {score_text}" + (f" ({interval})" if interval else "") for name, score_text, interval in lines
        )
        + "."
    )
    table = Table(("Run", ">Score", ">95% interval"), tuple(lines))
    title = titled(TITLE, (len(runs), len(scored), "runs"))
    return Picture("scores", title, alt, table, _chart(rows, runs[0][1].scale))


def _chart(rows: list[dict[str, Any]], scale: str) -> str:
    names = list(dict.fromkeys(row["run"] for row in rows))
    values = [row[side] for row in rows for side in ("low", "high")]
    domain = (0.0, 1.0) if scale == "unit" else (min(values), max(values))
    plot = RowPlot(names, domain, title="score", label=axis_label(scale), row_height=36)
    for row in rows:
        place, opacity = names.index(row["run"]), 1 if row["whole"] else 0.55
        plot.rule(place, row["low"], row["high"], row["colour"], opacity=opacity)
        x, y = plot.x(row["value"]), plot.middle(place)
        plot.sheet.dot(x, y, 5.3, row["colour"], opacity=opacity)
        plot.sheet.text(x, y - 12, row["told"], anchor="middle")
    return plot.sheet.svg()
