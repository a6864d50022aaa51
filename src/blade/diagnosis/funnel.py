"""Where attempts are lost: ordered stages, how many reached each, and the step at which most drop out.

A stage belongs to the chain only if nearly all passing attempts went through it; a stage that passes can do without
(checking oneself, say) is counted beside the chain and never called a loss.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import polars as pl

from blade.counting.fields import Fields
from blade.counting.run import Run
from blade.extract.stages import ACTED, CHECKED, CORE, FEEDBACK, SUBMITTED
from blade.model import NOT_EVALUABLE

NECESSARY = 0.9
FEWEST_PASSES = 3
STARTED, VERIFIED, PASSED = "started", "verified", "passed"
_UNGRADED = {status.value for status in NOT_EVALUABLE}

LOST_SHOWN = 24
"""Tasks named for each stage at which rollouts are lost."""

Row = dict[str, Any]
Reached = Callable[[Row, Fields], bool]


def funnel(runs: Sequence[Run]) -> tuple[dict[str, Any], ...]:
    """The stages of all runs in order; empty where no run has a pass rule or nothing was started."""
    if not runs or any(run.rule.threshold is None for run in runs):
        return ()
    stages = _declared(runs) or _inferred()
    counted = {run.name: _reached(run, stages) for run in runs}
    chain = [name for name, _ in stages if name in {STARTED, PASSED} or _necessary(name, counted.values())]
    shown = [name for name, _ in stages if name in chain or _seen(name, counted.values())]
    return tuple(
        {
            "stage": name,
            "order": place,
            "necessary": name in chain,
            "runs": {run: _line(name, chain, rows) for run, rows in counted.items()},
        }
        for place, name in enumerate(shown)
    )


def _inferred() -> list[tuple[str, Reached]]:
    def came_to(name: str) -> Reached:
        return lambda row, _: name in (row["stages"] or ())

    middle = [(name, came_to(name)) for name in (ACTED, CORE, FEEDBACK, CHECKED, SUBMITTED)]
    return [(STARTED, lambda *_: True), *middle, (VERIFIED, _verified), (PASSED, _passed)]


def _declared(runs: Sequence[Run]) -> list[tuple[str, Reached]]:
    """Stages that a benchmark.toml declares: a name, and the field or the tool that tells."""
    told = runs[0].raw.benchmark.values.get("stages") or []
    made = [(str(item["name"]), _test(item)) for item in told]
    return [(STARTED, lambda *_: True), *made, (PASSED, _passed)] if made else []


def _test(item: Mapping[str, Any]) -> Reached:
    if "tool" in item:
        return lambda row, _: item["tool"] in (row["tools_called"] or ())
    field, wanted = str(item["field"]), item.get("equals")

    def reached(_: Row, fields: Fields) -> bool:
        value = fields.get(field)
        return value == wanted if wanted is not None else bool(value)

    return reached


def _verified(row: Row, _: Fields) -> bool:
    return row["reward"] is not None and row["state"] not in _UNGRADED


def _passed(row: Row, _: Fields) -> bool:
    return row["passed"] is True


@dataclass(frozen=True, slots=True)
class _Way:
    """One rollout: its task, and which stages it reached."""

    task: str
    reached: Mapping[str, bool]

    def came_through(self, stages: Iterable[str]) -> bool:
        return all(self.reached[stage] for stage in stages)


def _reached(run: Run, stages: Sequence[tuple[str, Reached]]) -> list[_Way]:
    """For each row that is no copy and of this model, which stages it reached."""
    kept = (~pl.col("copy") & ~pl.col("foreign")).alias("kept")
    columns = run.facts.select("label", "stages", "tools_called", "reward", "state", "passed", kept)
    return [
        _Way(row["label"], {name: test(row, fields) for name, test in stages})
        for row, fields in zip(columns.iter_rows(named=True), run.fields(), strict=True)
        if row["kept"]
    ]


def _necessary(name: str, counted: Iterable[Sequence[_Way]]) -> bool:
    """Whether nearly every pass of every run went through a stage; with too few passes nothing is necessary."""
    passes = [way for ways in counted for way in ways if way.reached[PASSED]]
    if len(passes) < FEWEST_PASSES:
        return name in {ACTED, SUBMITTED, VERIFIED} and _seen(name, counted)
    return sum(way.reached[name] for way in passes) >= NECESSARY * len(passes)


def _seen(name: str, counted: Iterable[Sequence[_Way]]) -> bool:
    return any(way.reached[name] for ways in counted for way in ways)


def _line(name: str, chain: Sequence[str], ways: Sequence[_Way]) -> dict[str, Any]:
    """`reached` counts the stage by itself; `survived` those that also went through the whole chain before it.

    `lost` names the tasks whose rollouts came as far as the stage before and not to this one, most rollouts first.
    """
    before = chain[: chain.index(name)] if name in chain else chain[:1]
    lost = Counter(way.task for way in ways if name in chain and way.came_through(before) and not way.reached[name])
    ordered = sorted(lost, key=lambda task: (-lost[task], task))
    return {
        "reached": sum(way.reached[name] for way in ways),
        "of": len(ways),
        "survived": sum(way.came_through((*before, name)) for way in ways),
        "lost": {"tasks": ordered[:LOST_SHOWN], "tasks_total": len(ordered)},
    }


def largest_drop(stages: Sequence[Mapping[str, Any]], run: str) -> tuple[str, str, int] | None:
    """The two neighbours of the chain between which most rollouts of a run are lost on the way to a verdict."""
    chain = [stage for stage in stages if stage["necessary"]]
    best: tuple[str, str, int] | None = None
    for one, two in pairwise(chain[:-1]):
        lost = one["runs"][run]["survived"] - two["runs"][run]["survived"]
        if lost > 0 and (best is None or lost > best[2]):
            best = (one["stage"], two["stage"], lost)
    return best
