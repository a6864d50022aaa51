"""Failure modes: how many rollouts of a run fail in which way; of several runs, how many show the sign of it."""

from __future__ import annotations

from typing import Any

from blade.document import Picture, Table
from blade.drawing import WIDTH, can_draw, data, short, svg, titled
from blade.model import Analysis
from blade.pages.colours import run_colour
from blade.wording import count, percent

TITLE = "Ways of failing"
SECTION = "dominant_failure_modes"
SHOWN = 12
RUNS_SHOWN = 4


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
            many = line["any_rollouts" if several else "rollouts"]
            cells.append(
                f"{many:,}" if several else f"{many:,} ({percent(line['share_of_failures'], 0)} of its failures)"
            )
            rows.append(
                {
                    "mode": short(mode.name, 56),
                    "run": short(run.name),
                    "rollouts": many,
                    "told": f"{many:,}",
                    "colour": run_colour(place).light,
                }
            )
        lines.append((mode.name, *cells))
    said = [
        f"{name}: " + ", ".join(f"{run.name} {cell}" for run, cell in zip(runs, cells, strict=True))
        for name, *cells in lines[:6]
    ]
    left = len(analysis.modes) - 6
    more = f"; and {count(left, 'more way')}." if left > 0 else "."
    table = Table(("Failure mode", *(f">{run.name}" for run in runs)), tuple(lines))
    before = "Rollouts that show the sign of each way. " if several else ""
    title = titled(TITLE, (len(lines), len(analysis.modes), "ways"), (len(runs), len(analysis.runs), "runs"))
    return Picture(
        "failure_modes", title, before + "; ".join(said) + more, table, svg(_chart(rows)) if can_draw() else ""
    )


def _chart(rows: list[dict[str, Any]]) -> Any:
    import altair as alt  # noqa: PLC0415 - an extra: only when something is drawn

    modes = list(dict.fromkeys(row["mode"] for row in rows))
    runs = {row["run"]: row["colour"] for row in rows}
    many = len(runs)
    y = alt.Y("mode:N", sort=modes, axis=alt.Axis(title=None, ticks=False, domain=False))
    offset = alt.YOffset("run:N", sort=list(runs))
    colour = alt.Color(
        "run:N",
        scale=alt.Scale(domain=list(runs), range=list(runs.values())),
        legend=alt.Legend(title=None, orient="top") if many > 1 else None,
    )
    x = alt.X(
        "rollouts:Q",
        axis=alt.Axis(title="rollouts that show it" if many > 1 else "failed rollouts", tickMinStep=1, tickCount=5),
    )
    base = alt.Chart(data(rows))
    bars = base.mark_bar().encode(x=x, y=y, yOffset=offset, color=colour)
    told = base.mark_text(align="left", dx=4, fontSize=13).encode(x="rollouts:Q", y=y, yOffset=offset, text="told:N")
    step = alt.Step(15, **{"for": "offset"}) if many > 1 else alt.Step(24)
    return alt.layer(bars, told).properties(width=WIDTH - 100, height=step)
