"""Flips: the tasks whose pass rate moved most between the baseline and the candidate."""

from __future__ import annotations

from typing import Any

from blade.document import Picture, Table
from blade.drawing import GAIN, LOSS, RowPlot, percent_label, short, titled
from blade.model import Analysis
from blade.pages.colours import RUNS, run_colour
from blade.wording import count

TITLE = "Tasks that changed most"
SECTION = "cross_model_comparison"
SHOWN = 20


def draw(analysis: Analysis) -> Picture | None:
    """The first change: from the pass rate of the baseline to that of the candidate, task by task."""
    change = next(iter(analysis.changes), None)
    flips = [flip for flip in (change.flips if change else ()) if flip["base"][1] and flip["candidate"][1]]
    if change is None or not flips:
        return None
    ordered = sorted(flips, key=lambda flip: (-abs(_rate(flip, "candidate") - _rate(flip, "base")), flip["task"]))
    drawn_flips = sorted(
        ordered[:SHOWN], key=lambda flip: (_rate(flip, "candidate") - _rate(flip, "base"), flip["task"])
    )
    rows = [
        {
            "task": short(flip["task"], 36),
            "base": _rate(flip, "base"),
            "candidate": _rate(flip, "candidate"),
            "gain": _rate(flip, "candidate") >= _rate(flip, "base"),
        }
        for flip in drawn_flips
    ]
    lines = tuple((flip["task"], _passes_text(flip["base"]), _passes_text(flip["candidate"])) for flip in drawn_flips)
    down = sum(not row["gain"] for row in rows)
    alt = (
        f"Pass rates over judged rollouts of {count(len(rows), 'task')} in {change.base} and {change.candidate}: "
        f"{down} went down, {len(rows) - down} up. "
        + "; ".join(f"{task} from {base_text} to {candidate_text}" for task, base_text, candidate_text in lines[:5])
        + ("; and others." if len(lines) > 5 else ".")
    )
    place = [run.name for run in analysis.runs].index(change.candidate)
    table = Table(("Task", f">{change.base}", f">{change.candidate}"), lines)
    names = (short(change.base), short(change.candidate))
    total = (change.flips_expected or {}).get("flips", len(flips))
    return Picture(
        "flips",
        titled(TITLE, (len(rows), total, "tasks")),
        alt,
        table,
        _chart(rows, place, names),
    )


def _rate(flip: Any, side: str) -> float:
    passes, attempts = flip[side]
    return float(passes) / float(attempts)


def _passes_text(pair: Any) -> str:
    return f"{pair[0]} of {pair[1]}"


def _chart(rows: list[dict[str, Any]], place: int, names: tuple[str, str]) -> str:
    colours = RUNS[0].light, run_colour(place).light
    plot = RowPlot(
        [row["task"] for row in rows],
        (0, 1),
        title="pass rate",
        label=percent_label,
        row_height=19,
        ticks=[0, 0.25, 0.5, 0.75, 1],
        legend=dict(zip(names, colours, strict=True)),
    )
    for number, row in enumerate(rows):
        plot.rule(number, row["base"], row["candidate"], (GAIN if row["gain"] else LOSS).light)
        for side, colour in zip(("base", "candidate"), colours, strict=True):
            plot.sheet.dot(plot.x(row[side]), plot.middle(number), 4.9, colour)
    return plot.sheet.svg()
