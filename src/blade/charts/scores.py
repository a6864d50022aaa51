"""Scores: every run with its interval, over all rows and over those that say something about the model."""

from __future__ import annotations

from typing import Any

from blade.document import Picture, Table
from blade.drawing import WIDTH, can_draw, data, short, svg, titled
from blade.model import Analysis
from blade.pages.colours import run_colour
from blade.wording import score, span

TITLE = "Scores with their 95% intervals"
SECTION = "aggregate_results"
SHOWN = 24


def draw(analysis: Analysis) -> Picture | None:
    scored = [(place, run) for place, run in enumerate(analysis.runs) if run.metrics["score"] is not None]
    found = scored[:SHOWN]
    if not found or len({run.scale for _, run in found}) > 1:
        return None
    rows, lines = [], []
    for place, run in found:
        for words, metrics in (("", run.metrics), ("evaluable rollouts only", run.metrics["evaluable"])):
            value, interval = metrics["score"], metrics["score_interval"]
            if value is None or (words and abs(value - run.metrics["score"]) < 5e-4):
                continue
            name = short(run.name) + (f", {words}" if words else "")
            low, high = interval or (value, value)
            told = score(value, run.scale)
            lines.append((name, told, span(interval, run.scale) if interval else ""))
            rows.append(
                {
                    "run": name,
                    "value": value,
                    "low": low,
                    "high": high,
                    "told": told,
                    "colour": run_colour(place).light,
                    "whole": not words,
                }
            )
    alt = "; ".join(f"{name} {told}" + (f" ({interval})" if interval else "") for name, told, interval in lines) + "."
    table = Table(("Run", ">Score", ">95% interval"), tuple(lines))
    title = titled(TITLE, (len(found), len(scored), "runs"))
    return Picture("scores", title, alt, table, svg(_chart(rows, found[0][1].scale)) if can_draw() else "")


def _chart(rows: list[dict[str, Any]], scale: str) -> Any:
    import altair as alt  # noqa: PLC0415 - an extra: only when something is drawn

    names = list(dict.fromkeys(row["run"] for row in rows))
    y = alt.Y("run:N", sort=names, axis=alt.Axis(title=None, ticks=False, domain=False))
    axis = alt.Axis(format=".0%" if scale == "unit" else "", title="score", tickCount=6)
    domain = alt.Scale(domain=[0, 1]) if scale == "unit" else alt.Scale(zero=False)
    colour = alt.Color("colour:N", scale=None)
    whole = alt.condition("datum.whole", alt.value(1), alt.value(0.55))
    base = alt.Chart(data(rows))
    lines = base.mark_rule(strokeWidth=3).encode(
        x=alt.X("low:Q", axis=axis, scale=domain), x2="high:Q", y=y, color=colour, opacity=whole
    )
    dots = base.mark_point(filled=True, size=90, opacity=1).encode(x="value:Q", y=y, color=colour, opacity=whole)
    told = base.mark_text(dy=-11).encode(x="value:Q", y=y, text="told:N")
    return alt.layer(lines, dots, told).properties(width=WIDTH, height=alt.Step(36))
