"""What is lost at each stage of the funnel: how many rollouts of each run, and of which tasks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from blade.model import Analysis
from blade.renderers.html.links import Links
from blade.wording import difference, percent

MOST_RUNS = 4


@dataclass(frozen=True, slots=True)
class Lost:
    run: str
    rollouts: int
    share: str
    tasks: tuple[tuple[str, str], ...]
    """Each task and where it leads."""
    more_tasks: int


@dataclass(frozen=True, slots=True)
class Step:
    """From one stage of the chain to the next. `apart` is the loss of the last run beside that of the first."""

    anchor: str
    before: str
    after: str
    runs: tuple[Lost, ...]
    apart: str


def losses(analysis: Analysis, links: Links) -> list[Step]:
    """The steps at which any run loses rollouts."""
    chain = [stage for stage in analysis.funnel if stage["necessary"]]
    names = [run.name for run in analysis.runs[:MOST_RUNS]]
    made = (_step(one, two, names, links) for one, two in pairwise(chain))
    return [step for step in made if any(lost.rollouts for lost in step.runs)]


def _step(one: Mapping[str, Any], two: Mapping[str, Any], names: list[str], links: Links) -> Step:
    runs = tuple(_lost(name, one["runs"][name], two["runs"][name], links) for name in names)
    shares = [lost.rollouts / (two["runs"][lost.run]["of"] or 1) for lost in runs]
    apart = difference(shares[-1] - shares[0], "unit") if len(shares) > 1 else ""
    return Step(f"stage-{two['order']}", one["stage"], two["stage"], runs, apart)


def _lost(name: str, one: Mapping[str, Any], two: Mapping[str, Any], links: Links) -> Lost:
    many = one["survived"] - two["survived"]
    tasks = tuple((task, links.task(task)) for task in two["lost"]["tasks"])
    share = percent(many / two["of"]) if two["of"] else ""
    return Lost(name, many, share, tasks, two["lost"]["tasks_total"] - len(tasks))
