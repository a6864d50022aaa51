"""What is lost at each stage of the funnel: how many rollouts of each run, and of which tasks."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from blade.frozen import frozen
from blade.model import Analysis
from blade.renderers.html.links import Links
from blade.wording import difference, percent

MOST_RUNS = 20
PAIR = 2


@frozen
class Lost:
    run: str
    rollouts: int
    share: str
    tasks: tuple[tuple[str, str], ...]
    """Each task and where it leads."""
    more_tasks: int


@frozen
class FunnelStep:
    """From one stage of the chain to the next. `apart` is the loss of the last run beside that of the first."""

    anchor: str
    before: str
    after: str
    runs: tuple[Lost, ...]
    apart: str


def funnel_drops(analysis: Analysis, links: Links) -> list[FunnelStep]:
    """The steps at which any run loses rollouts."""
    chain = [stage for stage in analysis.funnel if stage["necessary"]]
    names = [run.name for run in analysis.runs[:MOST_RUNS]]
    steps = (_step(stage, next_stage, names, links) for stage, next_stage in pairwise(chain))
    return [step for step in steps if any(drop.rollouts for drop in step.runs)]


def _step(stage: Mapping[str, Any], next_stage: Mapping[str, Any], names: list[str], links: Links) -> FunnelStep:
    runs = tuple(_drop(name, stage["runs"][name], next_stage["runs"][name], links) for name in names)
    shares = [drop.rollouts / (next_stage["runs"][drop.run]["of"] or 1) for drop in runs]
    apart = difference(shares[-1] - shares[0], "unit") if len(shares) == PAIR else ""
    return FunnelStep(f"stage-{next_stage['order']}", stage["stage"], next_stage["stage"], runs, apart)


def _drop(name: str, stage: Mapping[str, Any], next_stage: Mapping[str, Any], links: Links) -> Lost:
    rollouts = stage["survived"] - next_stage["survived"]
    tasks = tuple((task, links.task(task)) for task in next_stage["lost"]["tasks"])
    share = percent(rollouts / next_stage["of"]) if next_stage["of"] else ""
    return Lost(name, rollouts, share, tasks, next_stage["lost"]["tasks_total"] - len(tasks))
