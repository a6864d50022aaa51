"""Slices: how the run did on each level of the task properties that its data carries."""

from __future__ import annotations

from blade.document import Block, Fact, Heading, Paragraph, Table, say
from blade.model import Analysis, RunAnalysis
from blade.wording import count, fact, score, span

TITLE = "Slices"
ORDER = 55
FIELDS_SHOWN = 6
LEVELS_SHOWN = 20


def build(analysis: Analysis) -> list[Block]:
    fields = sorted(
        {line["field"] for run in analysis.runs for line in run.slices},
        key=lambda field: (-_spread(analysis, field), field),
    )
    if not fields:
        return []
    blocks: list[Block] = []
    for field in fields[:FIELDS_SHOWN]:
        blocks += [Heading(field), _table(analysis, field)]
    if len(fields) > FIELDS_SHOWN:
        more = ", ".join(fields[FIELDS_SHOWN:])
        blocks.append(
            Paragraph(
                (
                    say(
                        "{count} in analysis.json: {more}.",
                        count=count(len(fields) - FIELDS_SHOWN, "more field"),
                        more=more,
                    ),
                )
            )
        )
    return blocks


def _spread(analysis: Analysis, field: str) -> float:
    """Widest distance between two levels with at least two tasks: the fields that part good from bad come first."""
    scores = [
        line["score"]
        for run in analysis.runs
        for line in run.slices
        if line["field"] == field and line["tasks"] > 1 and line["score"] is not None
    ]
    return max(scores) - min(scores) if scores else 0.0


def _table(analysis: Analysis, field: str) -> Table:
    levels = sorted({line["level"] for run in analysis.runs for line in run.slices if line["field"] == field})
    rows = []
    for level in levels[:LEVELS_SHOWN]:
        cells: list[str | Fact] = [level]
        for run in analysis.runs:
            cells += _cells(run, field, level)
        rows.append(tuple(cells))
    titles = [title for run in analysis.runs for title in (f">{run.name}", ">95% interval", ">Tasks")]
    return Table(("Level", *titles), tuple(rows))


def _cells(run: RunAnalysis, field: str, level: str) -> list[str | Fact]:
    for place, line in enumerate(run.slices):
        if line["field"] == field and line["level"] == level:
            at = ("runs", run.name, "slices", place)
            interval = span(line["interval"], run.scale) if line["interval"] else ""
            return [fact(score(line["score"], run.scale), line["score"], *at, "score"), interval, f"{line['tasks']:,}"]
    return ["", "", ""]
