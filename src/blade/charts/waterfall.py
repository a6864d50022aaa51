"""Waterfall: from the baseline's score to the candidate's, part by part."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from blade.document import Picture, Table
from blade.drawing import GAIN, LOSS, SOFT, RowPlot, axis_label, short
from blade.model import Analysis, Change, Part, RunAnalysis
from blade.pages.colours import run_colour
from blade.summary.change_words import cause_words, main_change, points_span
from blade.summary.moved_failures import UNTOLD
from blade.wording import count, difference, score

TITLE = "Where the change comes from"
SECTION = "score_change"
TOLD = 4
SHOWN = 10
"""Parts drawn one by one; the rest is one bar."""


def draw(analysis: Analysis) -> Picture | None:
    """The change that weighs most, as it was found: its bars add up to the difference of the two scores."""
    found = main_change(analysis)
    if found is None or not found[1].parts or found[1].delta is None:
        return None
    change, delta = found[1], found[1].delta
    runs = {run.name: run for run in analysis.runs}
    base, candidate = runs[change.base], runs[change.candidate]
    start = _score(base)
    if start is None:
        return None
    scale = base.scale
    steps = list(_steps(change, start, scale))
    end = start + delta
    worth_telling = [step for step in steps if step["told"] != difference(0.0, scale)] or steps
    alt = (
        f"{change.candidate} scores {score(end, scale)}, {change.base} {score(start, scale)}: "
        f"{difference(delta, scale)}, made of "
        + "; ".join(f"{step['words']} {step['told']}" for step in worth_telling[:TOLD])
        + (f"; and {count(len(steps) - len(worth_telling[:TOLD]), 'more part')}." if len(steps) > TOLD else ".")
    )
    rows = tuple((step["words"], step["told"], step["interval"], "yes" if step["named"] else "no") for step in steps)
    table = Table(("Part", ">Points", ">95% interval", "Significant"), rows)
    place = [run.name for run in analysis.runs].index(candidate.name)
    chart = _chart(steps, (base, start), (candidate, end), place)
    return Picture("waterfall", TITLE, alt, table, chart)


def _score(run: RunAnalysis) -> float | None:
    """The score that the change starts from: as it was found, or with missing rows as zero where that was asked."""
    score: float | None = run.metrics["score_zero_fill" if run.metrics.get("missing") == "zero" else "score_as_found"]
    return score


def _steps(change: Change, start: float, scale: str) -> Iterator[dict[str, Any]]:
    at = start
    parts = [(place, part) for place, part in enumerate(change.parts) if part.named or abs(part.points) > 1e-12]
    for place, part in parts[:SHOWN]:
        yield {
            "words": cause_words(part),
            "short": _short_words(part),
            "from": at,
            "to": at + part.points,
            "points": part.points,
            "told": difference(part.points, scale),
            "interval": points_span(part.interval, scale) if part.interval else "",
            "named": part.named,
            "href": f"#part-{place}",
        }
        at += part.points
    remaining = parts[SHOWN:]
    if remaining:
        total = sum(part.points for _, part in remaining)
        yield {
            "words": count(len(remaining), "smaller part"),
            "short": count(len(remaining), "smaller part"),
            "from": at,
            "to": at + total,
            "points": total,
            "told": difference(total, scale),
            "interval": "",
            "named": False,
            "href": f"#part-{remaining[0][0]}",
        }


def _short_words(part: Part) -> str:
    """What rollouts that ran did is told by its mode alone: the table says the rest."""
    by_mode = part.cause == "behaviour" and not part.where.get("tool")
    return str(part.where.get("mode") or UNTOLD) if by_mode else cause_words(part)


def _chart(
    steps: list[dict[str, Any]], base: tuple[RunAnalysis, float], candidate: tuple[RunAnalysis, float], place: int
) -> str:
    scale = base[0].scale
    names = [f"{number}. {short(step['short'])}" for number, step in enumerate(steps, start=1)]
    values = [base[1], candidate[1], *(step["from"] for step in steps), *(step["to"] for step in steps)]
    room = max(max(values) - min(values), 0.02) * 0.16
    plot = RowPlot(
        [short(base[0].name), *names, short(candidate[0].name)],
        (min(values) - room, max(values) + room),
        title="score",
        label=axis_label(scale),
        row_height=27,
    )
    for row, at in enumerate((base[1], *(step["to"] for step in steps))):
        x = plot.x(at)
        plot.sheet.line((x, plot.middle(row)), (x, plot.middle(row + 1)), SOFT, dashed=True)
    for row, (name, step) in enumerate(zip(names, steps, strict=True), start=1):
        _bar(plot, row, name, step)
    for row, (run, at), colour in ((0, base, run_colour(0)), (len(steps) + 1, candidate, run_colour(place))):
        x, y = plot.x(at), plot.middle(row)
        plot.sheet.rect(x - 2.5, y - 10, 5, 20, colour.light)
        plot.sheet.text(x + 8, y, score(at, run.scale), bold=True)
    return plot.sheet.svg()


def _bar(plot: RowPlot, row: int, name: str, step: dict[str, Any]) -> None:
    """A bar for a part, which leads to its tasks; pale where chance alone may explain it."""
    colour = (GAIN if step["points"] >= 0 else LOSS).light
    with plot.sheet.link(step["href"], f"{name}: {step['told']}, open its tasks"):
        plot.bar(row, step["from"], step["to"], 16, colour, opacity=1 if step["named"] else 0.5)
    plot.sheet.text(plot.x(max(step["from"], step["to"])) + 5, plot.middle(row), step["told"])
