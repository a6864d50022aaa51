"""Outage: broken rollouts over the course of a run, with the stretch that stands out."""

from __future__ import annotations

from typing import Any

from blade.document import Picture, Table
from blade.drawing import LINE, WIDTH, can_draw, data, short, svg
from blade.model import Analysis
from blade.pages.colours import OUTCOMES
from blade.wording import count, percent

TITLE = "The outage over the course of the run"
SECTION = "benchmark_health"


def draw(analysis: Analysis) -> Picture | None:
    """The first run in which a stretch of broken rollouts was found."""
    found = next((item for item in analysis.health if item["check"] == "outage_window" and "series" in item), None)
    if found is None:
        return None
    series = found["series"]
    order = "in order of time" if series["order"] == "time" else "in order of the file"
    first, last = series["rows"]
    rows = [
        {"from": step["from"] - 1, "to": step["to"], "share": step["broken"] / (step["to"] - step["from"] + 1)}
        for step in series["steps"]
    ]
    lines = tuple(
        (f"{step['from']:,} to {step['to']:,}", f"{step['broken']:,}", percent(row["share"], 0))
        for step, row in zip(series["steps"], rows, strict=True)
        if step["broken"]
    )
    broken = sum(step["broken"] for step in series["steps"])
    alt = (
        f"{found['run']}: {count(broken, 'rollout')} broken by infrastructure, most of them between rows {first:,} and "
        f"{last:,} of {rows[-1]['to']:,} {order}."
    )
    table = Table((f"Rows {order}", ">Broken", ">Share"), lines)
    drawn = svg(_chart(rows, (first - 1, last), order, short(str(found["run"])))) if can_draw() else ""
    return Picture("outage", TITLE, alt, table, drawn)


def _chart(rows: list[dict[str, Any]], stretch: tuple[int, int], order: str, run: str) -> Any:
    import altair as alt  # noqa: PLC0415 - an extra: only when something is drawn

    domain = alt.Scale(domain=[0, rows[-1]["to"]], nice=False)
    axis = alt.Axis(title=f"rollouts of {run}, {order}", grid=False, tickMinStep=1, tickCount=8)
    window = (
        alt.Chart(data([{"from": stretch[0], "to": stretch[1]}]))
        .mark_rect(color=LINE, opacity=0.7)
        .encode(x=alt.X("from:Q", scale=domain, axis=axis), x2="to:Q")
    )
    bars = (
        alt.Chart(data(rows))
        .mark_rect(color=OUTCOMES["broken"].colour.light)
        .encode(
            x=alt.X("from:Q", scale=domain, axis=axis),
            x2="to:Q",
            y2=alt.datum(0),
            y=alt.Y(
                "share:Q", axis=alt.Axis(format=".0%", title="broken", tickCount=3), scale=alt.Scale(domain=[0, 1])
            ),
        )
    )
    return alt.layer(window, bars).properties(width=WIDTH, height=110)
