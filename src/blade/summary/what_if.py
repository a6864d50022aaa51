"""What the score would be if things were otherwise: the counterfactual table in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from blade.diagnosis.counterfactuals import ALL, HABIT, REFERENCE
from blade.document import Block, Fact, Heading, Paragraph, Table, say
from blade.model import Analysis, RunAnalysis
from blade.wording import count, difference, fact, score

MOST = 6
LOST = 0.1
"""A run that lost so many of its rollouts is held against another by what was judged."""
FEWEST = 3
"""Rollouts that a mode needs to be a line of the table."""
CEILINGS = (
    "Each line gives a ceiling: the score if every rollout of one failure mode had passed. Ceilings compare modes; "
    "they are not gains to expect, as a repaired rollout may still fail in another way."
)


def what_if(analysis: Analysis) -> Iterator[Block]:
    """The ceilings of the last run, to compare its ways of failing by."""
    run = analysis.runs[-1] if analysis.runs else None
    rows = [(place, row) for place, row in enumerate(analysis.counterfactuals) if run and row["run"] == run.name]
    modes = [row for _, row in rows if row.get("rollouts", 0) >= FEWEST][:MOST]
    if run is None or not modes:
        return
    rows = [(place, row) for place, row in rows if _telling(row, modes)]
    yield Heading(f"What-if (ceilings): {run.name}")
    yield Paragraph((say(CEILINGS),))
    lines = tuple(_line(*row, run, run.scale) for row in rows)
    yield Table(("the score", ">score", ">ceiling", "what that is"), lines)


def _telling(row: Mapping[str, Any], modes: list[Mapping[str, Any]]) -> bool:
    """A mode among the largest, or a whole; another run only where it scores higher. All modes at once say nothing."""
    return row in modes if "rollouts" in row else row["mode"] != ALL and (row["mode"] != REFERENCE or row["gain"] > 0)


def _line(place: int, row: Mapping[str, Any], run: RunAnalysis, scale: str) -> tuple[str | Fact, ...]:
    path = ("counterfactuals", place)
    rollouts_lost = run.rollouts - run.metrics["evaluable"]["rollouts"]
    counts_as_zero = row["mode"] == REFERENCE and rollouts_lost > LOST * run.rollouts
    about: str | Fact = row["note"] + (
        f"; {count(rollouts_lost, 'rollout')} lost or unjudged count as zero here" if counts_as_zero else ""
    )
    if "rollouts" in row:
        doubt = "; passes show the symptom as often: no cause by itself" if row["note"] == HABIT else ""
        about = fact(f"{count(row['rollouts'], 'rollout')} passed instead{doubt}", row["rollouts"], *path, "rollouts")
    return (
        f"without: {row['name']}" if "rollouts" in row else row["name"],
        fact(score(row["score"], scale), row["score"], *path, "score"),
        fact(difference(row["gain"], scale), row["gain"], *path, "gain"),
        about,
    )
