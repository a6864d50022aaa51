"""Checkpoints: the score of one model over its steps or dates, and the first change that is real."""

from __future__ import annotations

from blade.document import Block, Fact, Paragraph, Table
from blade.model import Analysis
from blade.summary.series_words import series_words
from blade.wording import difference, fact, name, score, span

TITLE = "Checkpoints"
ORDER = 33
SHARE = 0.03


def build(analysis: Analysis) -> list[Block]:
    """Appears where the names or the checkpoints of three runs or more differ in one step or date alone."""
    series = analysis.series
    if series is None:
        return []
    scale = analysis.runs[0].scale
    rows: list[tuple[str | Fact, ...]] = []
    for place, run in enumerate(series["runs"]):
        value, interval = series["scores"][place], series["intervals"][place]
        against = (
            [difference(value - series["scores"][other_place], scale) for other_place in (0, place - 1)]
            if place
            else ["", ""]
        )
        rows.append(
            (
                name(run),
                fact(score(value, scale), value, "series", "scores", place),
                fact(span(interval, scale), interval, "series", "intervals", place) if interval else "",
                *against,
                "yes" if run in _real(analysis) else "" if not place else "no",
            )
        )
    columns = (
        "Checkpoint",
        ">Score",
        ">95% interval",
        ">Against the first",
        ">Against the one before",
        "That step real?",
    )
    return [Paragraph(tuple(series_words(analysis))), Table(columns, tuple(rows))]


def _real(analysis: Analysis) -> set[str]:
    """Checkpoints that differ from the one before them."""
    return {pair["candidate"] for pair in (analysis.series or {})["real_steps"]}
