"""Outage: broken rollouts over the course of a run, with the stretch that stands out."""

from __future__ import annotations

from typing import Any

from blade.document import Picture, Table
from blade.drawing import LINE, DrawingField, short
from blade.model import Analysis
from blade.pages.colours import OUTCOMES
from blade.wording import count, percent

TITLE = "The outage over the course of the run"
SECTION = "benchmark_health"


def draw(analysis: Analysis) -> Picture | None:
    """The first run in which a stretch of broken rollouts was found."""
    outage = next((item for item in analysis.health if item["check"] == "outage_window" and "series" in item), None)
    if outage is None:
        return None
    series = outage["series"]
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
        f"{outage['run']}: {count(broken, 'rollout')} broken by infrastructure, most of them between rows {first:,} "
        f"and {last:,} of {rows[-1]['to']:,} {order}."
    )
    table = Table((f"Rows {order}", ">Broken", ">Share"), lines)
    chart = _chart(rows, (first - 1, last), order, short(str(outage["run"])))
    return Picture("outage", TITLE, alt, table, chart)


def _chart(rows: list[dict[str, Any]], stretch: tuple[int, int], order: str, run: str) -> str:
    field = DrawingField(rows[-1]["to"], title=f"rollouts of {run}, {order}", upward="broken")
    field.column(*stretch, 1, LINE, opacity=0.7)
    for row in rows:
        if row["share"]:
            field.column(row["from"], row["to"], row["share"], OUTCOMES["broken"].colour.light)
    return field.sheet.svg()
