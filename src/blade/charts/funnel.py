"""Funnel: the share of rollouts that reach each stage, run beside run."""

from __future__ import annotations

from typing import Any

from blade.document import Picture, Table
from blade.drawing import WIDTH, can_draw, data, short, svg, titled
from blade.model import Analysis
from blade.pages.colours import run_colour
from blade.wording import percent

TITLE = "How far the rollouts come"
SECTION = "workflow_funnel"
FEWEST = 3
RUNS_SHOWN = 4


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
            told = f"{line['reached']:,} ({percent(share, 0)})"
            rows.append(
                {
                    "stage": stage["stage"],
                    "run": short(run.name),
                    "share": share,
                    "told": told,
                    "colour": run_colour(place).light,
                }
            )
    lines = tuple((stage["stage"], *(row["told"] for row in rows if row["stage"] == stage["stage"])) for stage in chain)
    said = [
        f"{stage}: " + ", ".join(f"{run.name} {told}" for run, told in zip(runs, cells, strict=True))
        for stage, *cells in lines
    ]
    table = Table(("Stage", *(f">{run.name}" for run in runs)), lines)
    title = titled(TITLE, (len(runs), len(analysis.runs), "runs"))
    return Picture("funnel", title, "; ".join(said) + ".", table, svg(_chart(rows)) if can_draw() else "")


def _chart(rows: list[dict[str, Any]]) -> Any:
    import altair as alt  # noqa: PLC0415 - an extra: only when something is drawn

    stages = list(dict.fromkeys(row["stage"] for row in rows))
    runs = {row["run"]: row["colour"] for row in rows}
    many = len(runs)
    y = alt.Y("stage:N", sort=stages, axis=alt.Axis(title=None, ticks=False, domain=False))
    offset = alt.YOffset("run:N", sort=list(runs))
    colour = alt.Color(
        "run:N",
        scale=alt.Scale(domain=list(runs), range=list(runs.values())),
        legend=alt.Legend(title=None, orient="top") if many > 1 else None,
    )
    x = alt.X(
        "share:Q",
        axis=alt.Axis(format=".0%", title="rollouts that reached it", tickCount=5),
        scale=alt.Scale(domain=[0, 1.0]),
    )
    base = alt.Chart(data(rows))
    bars = base.mark_bar().encode(x=x, y=y, yOffset=offset, color=colour)
    told = base.mark_text(align="left", dx=4, fontSize=13).encode(x="share:Q", y=y, yOffset=offset, text="told:N")
    step = alt.Step(15, **{"for": "offset"}) if many > 1 else alt.Step(24)
    return alt.layer(bars, told).properties(width=WIDTH, height=step)
