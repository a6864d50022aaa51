"""Waterfall: from the baseline's score to the candidate's, part by part."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from blade.change_words import cause_words, points_span
from blade.document import Picture, Table
from blade.drawing import GAIN, LOSS, SOFT, WIDTH, can_draw, data, short, svg
from blade.model import Analysis, Change, Part, RunAnalysis
from blade.pages.colours import run_colour
from blade.wording import count, difference, score

TITLE = "Where the change comes from"
SECTION = "score_change"
SHOWN = 10
"""Parts drawn one by one; the rest is one bar."""


def draw(analysis: Analysis) -> Picture | None:
    """The first change, as it was found: its bars add up to the difference of the two scores."""
    change = next(iter(analysis.changes), None)
    if change is None or change.verdict == "not_comparable" or not change.parts or change.delta is None:
        return None
    runs = {run.name: run for run in analysis.runs}
    base, candidate = runs[change.base], runs[change.candidate]
    start = _score(base)
    if start is None:
        return None
    scale = base.scale
    steps = list(_steps(change, start, scale))
    end = start + change.delta
    alt = (
        f"{change.candidate} scores {score(end, scale)}, {change.base} {score(start, scale)}: "
        f"{difference(change.delta, scale)}, made of "
        + "; ".join(f"{step['words']} {step['told']}" for step in steps[:6])
        + (f"; and {count(len(steps) - 6, 'more part')}." if len(steps) > 6 else ".")
    )
    rows = tuple((step["words"], step["told"], step["interval"], "yes" if step["named"] else "no") for step in steps)
    table = Table(("Part", ">Points", ">95% interval", "Named"), rows)
    place = [run.name for run in analysis.runs].index(candidate.name)
    drawn = svg(_chart(steps, (base, start), (candidate, end), place)) if can_draw() else ""
    return Picture("waterfall", TITLE, alt, table, drawn)


def _score(run: RunAnalysis) -> float | None:
    """The score that the change starts from: as it was found, or with missing rows as zero where that was asked."""
    found: float | None = run.metrics["score_zero_fill" if run.metrics.get("missing") == "zero" else "score_as_found"]
    return found


def _steps(change: Change, start: float, scale: str) -> Iterator[dict[str, Any]]:
    at = start
    shown = [(place, part) for place, part in enumerate(change.parts) if part.named or abs(part.points) > 1e-12]
    for place, part in shown[:SHOWN]:
        yield {
            "words": cause_words(part),
            "short": _short_words(part),
            "from": at,
            "to": at + part.points,
            "points": part.points,
            "right": max(at, at + part.points),
            "told": difference(part.points, scale),
            "interval": points_span(part.interval, scale) if part.interval else "",
            "named": part.named,
            "href": f"#part-{place}",
        }
        at += part.points
    rest = shown[SHOWN:]
    if rest:
        total = sum(part.points for _, part in rest)
        yield {
            "words": count(len(rest), "smaller part"),
            "short": count(len(rest), "smaller part"),
            "from": at,
            "to": at + total,
            "points": total,
            "right": max(at, at + total),
            "told": difference(total, scale),
            "interval": "",
            "named": False,
            "href": f"#part-{rest[0][0]}",
        }


def _short_words(part: Part) -> str:
    """What the model did is told by its mode alone: the table says the rest."""
    return str(part.where.get("mode") or "fails in no known way") if part.cause == "behaviour" else cause_words(part)


def _chart(
    steps: list[dict[str, Any]], base: tuple[RunAnalysis, float], candidate: tuple[RunAnalysis, float], place: int
) -> Any:
    import altair as alt  # noqa: PLC0415 - an extra: only when something is drawn

    scale = base[0].scale
    bars = [{**step, "words": f"{number}. {short(step['short'])}"} for number, step in enumerate(steps, start=1)]
    first, last = short(base[0].name), f"{short(candidate[0].name)} "  # the blank tells runs of one name apart
    names = [first, *(bar["words"] for bar in bars), last]
    ends = [
        {"words": first, "at": base[1], "told": score(base[1], scale), "colour": run_colour(0).light},
        {"words": last, "at": candidate[1], "told": score(candidate[1], scale), "colour": run_colour(place).light},
    ]
    values = [base[1], candidate[1], *(bar["from"] for bar in bars), *(bar["to"] for bar in bars)]
    room = max(max(values) - min(values), 0.02) * 0.16
    domain = alt.Scale(domain=[min(values) - room, max(values) + room], nice=False, zero=False)
    axis = alt.Axis(format=".0%" if scale == "unit" else "", title="score", grid=True, tickCount=6)
    y = alt.Y("words:N", sort=names, axis=alt.Axis(title=None, ticks=False, domain=False))

    def x(field: str) -> Any:
        return alt.X(field, scale=domain, axis=axis)

    marks = alt.Chart(data(ends))
    ticks = marks.mark_tick(thickness=5, size=20, opacity=1).encode(
        x=x("at:Q"), y=y, color=alt.Color("colour:N", scale=None)
    )
    scores = marks.mark_text(align="left", dx=8, fontWeight="bold").encode(x=x("at:Q"), y=y, text="told:N")
    told = alt.Chart(data(bars)).mark_text(align="left", dx=5).encode(x=x("right:Q"), y=y, text="told:N")
    at = [base[1], *(bar["to"] for bar in bars)]
    links = [{"at": spot, "words": one, "next": two} for spot, (one, two) in zip(at, pairwise(names), strict=True)]
    joints = alt.Chart(data(links)).mark_rule(color=SOFT, strokeDash=[2, 2]).encode(x=x("at:Q"), y=y, y2="next:N")
    layers = (joints, _bars(bars, x("from:Q"), y), ticks, told, scores)
    return alt.layer(*layers).properties(width=WIDTH, height=alt.Step(27))


def _bars(bars: list[dict[str, Any]], x: Any, y: Any) -> Any:
    """A bar per part, which leads to its tasks; pale where chance alone may explain it."""
    import altair as alt  # noqa: PLC0415 - an extra: only when something is drawn

    return (
        alt.Chart(data(bars))
        .mark_bar(height=16)
        .encode(
            x=x,
            x2="to:Q",
            y=y,
            color=alt.condition("datum.points >= 0", alt.value(GAIN.light), alt.value(LOSS.light)),
            opacity=alt.condition("datum.named", alt.value(1), alt.value(0.5)),
            href="href:N",
            description=alt.Description("label:N"),
        )
        .transform_calculate(label="datum.words + ': ' + datum.told + ', open its tasks'")
    )
