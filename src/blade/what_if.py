"""What the score would be if things were otherwise: the counterfactual table in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from blade.diagnosis.counterfactuals import HABIT, REFERENCE
from blade.document import Block, Fact, Heading, Paragraph, Table, say
from blade.model import Analysis
from blade.wording import count, difference, fact, name, score

MOST = 6
FEWEST = 3
"""Rollouts that a mode needs to be a line of the table."""
CEILINGS = (
    "Each line gives the score had one thing not happened: per task, the attempts that it did not touch. "
    "These are ceilings to compare causes by, not gains to expect: they rise with the number of attempts, do not add "
    "up, and a task that is hit every time counts as it is."
)
ONE_ATTEMPT = (
    "What each way of failing costs {run} cannot be told from one attempt a task: without its only attempt, nothing is "
    "left of a task. Points given for a change rest on how other tasks went. Repeats would tell."
)


def what_if(analysis: Analysis) -> Iterator[Block]:
    """What the score would be if things were otherwise: ceilings to compare the modes by."""
    run = analysis.runs[-1] if analysis.runs else None
    rows = [(place, row) for place, row in enumerate(analysis.counterfactuals) if run and row["run"] == run.name]
    modes = [row for _, row in rows if row.get("rollouts", 0) >= FEWEST][:MOST]
    if run is None or not modes:
        return
    if all(row["gain"] == 0 for row in modes):
        if all(task.runs[run.name].attempts <= 1 for task in analysis.tasks if run.name in task.runs):
            yield Paragraph((say(ONE_ATTEMPT, run=name(run.name)),))
        return
    rows = [(place, row) for place, row in rows if _telling(row, modes)]
    yield Heading(f"If things were otherwise in {run.name}")
    yield Paragraph((say(CEILINGS),))
    yield Table(("the score", ">score", ">gain", "what that is"), tuple(_line(*row, run.scale) for row in rows))


def _telling(row: Mapping[str, Any], modes: list[Mapping[str, Any]]) -> bool:
    """A mode among the largest, or a whole; another run only where it scores higher."""
    return row in modes if "rollouts" in row else row["mode"] != REFERENCE or row["gain"] > 0


def _line(place: int, row: Mapping[str, Any], scale: str) -> tuple[str | Fact, ...]:
    here = ("counterfactuals", place)
    about: str | Fact = row["note"]
    if "rollouts" in row:
        doubt = "; its sign stands on passes as readily: no cause by itself" if row["note"] == HABIT else ""
        about = fact(f"{count(row['rollouts'], 'rollout')} spared{doubt}", row["rollouts"], *here, "rollouts")
    return (
        f"without: {row['name']}" if "rollouts" in row else row["name"],
        fact(score(row["score"], scale), row["score"], *here, "score"),
        fact(difference(row["gain"], scale), row["gain"], *here, "gain"),
        about,
    )
