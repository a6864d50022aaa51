"""Trend: the score of every checkpoint with its interval, and a line through them."""

from __future__ import annotations

from itertools import pairwise

from blade.document import Picture, Table
from blade.drawing import SOFT, RowPlot, axis_label, short
from blade.model import Analysis
from blade.pages.colours import run_colour
from blade.wording import score, span

TITLE = "The score over the checkpoints"
SECTION = "checkpoint_series"
ROW = 28
LABEL_GAP = 8


def draw(analysis: Analysis) -> Picture | None:
    """Where checkpoints of one model are compared."""
    series = analysis.series
    if series is None:
        return None
    scale = analysis.runs[0].scale
    scores, intervals = series["scores"], series["intervals"]
    ends = [end for interval in intervals for end in interval or ()] + scores
    domain = (0.0, 1.0) if scale == "unit" else (min(ends), max(ends))
    first = series["first_real"]
    marked = first["candidate"] if first else ""
    names = [short(run) + (" (first real change)" if run == marked else "") for run in series["runs"]]
    plot = RowPlot(names, domain, title="score", label=axis_label(scale), row_height=ROW)
    points = [(plot.x(value), plot.middle(place)) for place, value in enumerate(scores)]
    for start, end in pairwise(points):
        plot.sheet.line(start, end, SOFT, width=1.5)
    for place, (x, y) in enumerate(points):
        colour = run_colour(1 if series["runs"][place] == marked else 0).light
        low, high = intervals[place] or (scores[place], scores[place])
        plot.rule(place, low, high, colour, opacity=0.55)
        plot.sheet.dot(x, y, 5.3, colour)
        plot.sheet.text(plot.x(high) + LABEL_GAP, y, score(scores[place], scale))
    lines = tuple(
        (run, score(value, scale), span(interval, scale) if interval else "")
        for run, value, interval in zip(series["runs"], scores, intervals, strict=True)
    )
    alt = "; ".join(f"{run} {value}" + (f" ({interval})" if interval else "") for run, value, interval in lines) + "."
    return Picture("trend", TITLE, alt, Table(("Checkpoint", ">Score", ">95% interval"), lines), plot.sheet.svg())
