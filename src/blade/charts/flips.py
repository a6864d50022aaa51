"""Flips: the tasks whose pass rate moved most between the baseline and the candidate."""

from __future__ import annotations

from typing import Any

from blade.document import Picture, Table
from blade.drawing import GAIN, LOSS, WIDTH, can_draw, data, short, svg, titled
from blade.model import Analysis
from blade.pages.colours import RUNS, run_colour
from blade.wording import count

TITLE = "Tasks that moved most"
SECTION = "cross_model_comparison"
SHOWN = 20


def draw(analysis: Analysis) -> Picture | None:
    """The first change: from the pass rate of the baseline to that of the candidate, task by task."""
    change = next(iter(analysis.changes), None)
    found = [flip for flip in (change.flips if change else ()) if flip["base"][1] and flip["candidate"][1]]
    if change is None or not found:
        return None
    ordered = sorted(found, key=lambda flip: (-abs(_rate(flip, "candidate") - _rate(flip, "base")), flip["task"]))
    shown = sorted(ordered[:SHOWN], key=lambda flip: (_rate(flip, "candidate") - _rate(flip, "base"), flip["task"]))
    rows = [
        {
            "task": short(flip["task"], 36),
            "base": _rate(flip, "base"),
            "candidate": _rate(flip, "candidate"),
            "gain": _rate(flip, "candidate") >= _rate(flip, "base"),
        }
        for flip in shown
    ]
    lines = tuple((flip["task"], _told(flip["base"]), _told(flip["candidate"])) for flip in shown)
    down = sum(not row["gain"] for row in rows)
    alt = (
        f"Pass rates of {count(len(rows), 'task')} in {change.base} and {change.candidate}: "
        f"{down} went down, {len(rows) - down} up. "
        + "; ".join(f"{task} from {one} to {other}" for task, one, other in lines[:5])
        + ("; and others." if len(lines) > 5 else ".")
    )
    place = [run.name for run in analysis.runs].index(change.candidate)
    table = Table(("Task", f">{change.base}", f">{change.candidate}"), lines)
    names = (short(change.base), short(change.candidate))
    many = (change.flips_expected or {}).get("flips", len(found))
    return Picture(
        "flips",
        titled(TITLE, (len(rows), many, "tasks")),
        alt,
        table,
        svg(_chart(rows, place, names)) if can_draw() else "",
    )


def _rate(flip: Any, side: str) -> float:
    passes, attempts = flip[side]
    return float(passes) / float(attempts)


def _told(pair: Any) -> str:
    return f"{pair[0]} of {pair[1]}"


def _chart(rows: list[dict[str, Any]], place: int, names: tuple[str, str]) -> Any:
    import altair as alt  # noqa: PLC0415 - an extra: only when something is drawn

    y = alt.Y("task:N", sort=[row["task"] for row in rows], axis=alt.Axis(title=None, ticks=False, domain=False))
    axis = alt.Axis(format=".0%", title="pass rate", values=[0, 0.25, 0.5, 0.75, 1])
    x = alt.X("base:Q", axis=axis, scale=alt.Scale(domain=[0, 1]))
    moved = alt.condition("datum.gain", alt.value(GAIN.light), alt.value(LOSS.light))
    lines = alt.Chart(data(rows)).mark_rule(strokeWidth=3).encode(x=x, x2="candidate:Q", y=y, color=moved)
    dots = [
        {"task": row["task"], "rate": row[side], "run": name}
        for row in rows
        for side, name in zip(("base", "candidate"), names, strict=True)
    ]
    colour = alt.Color(
        "run:N",
        scale=alt.Scale(domain=list(names), range=[RUNS[0].light, run_colour(place).light]),
        legend=alt.Legend(title=None, orient="top", symbolOpacity=1),
    )
    points = alt.Chart(data(dots)).mark_point(filled=True, size=75, opacity=1).encode(x="rate:Q", y=y, color=colour)
    return alt.layer(lines, points).properties(width=WIDTH, height=alt.Step(19))
