"""Where attempts are lost: ordered stages, how many reached each, and the step at which most drop out.

A stage belongs to the chain only if nearly all passing attempts went through it; a stage that passes can do without
(checking oneself, say) is counted beside the chain and never called a loss.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson
import polars as pl

from blade.counting.audit.unjudged import without_record
from blade.counting.run import Run
from blade.counting.verdict_fields import met_check
from blade.diagnosis.first_lookups import first_lookups, known_everywhere
from blade.extract.stages import ACTED, CHECKED, CORE, FEEDBACK, SUBMITTED
from blade.frozen import frozen
from blade.model import NOT_EVALUABLE, RunAnalysis

NECESSARY = 0.9
FEWEST_PASSES = 3
STARTED, VERIFIED, PASSED = "started", "verified", "passed"
FOUND = "first look-up answered"
FEWEST_LOST = 5
LEAST_LOST = 0.05
DEEDS = (ACTED, CORE, FEEDBACK, CHECKED, SUBMITTED)
"""The stages that only rows which record what the model did can show."""
_UNGRADED = sorted(status.value for status in NOT_EVALUABLE)

LOST_SHOWN = 24
"""Tasks named for each stage at which rollouts are lost."""

Flags = npt.NDArray[np.bool_]
Test = Callable[[Run], Flags]
"""Which rows of a run reached a stage."""


def funnel(runs: Sequence[Run]) -> tuple[dict[str, Any], ...]:
    """The stages of all runs in order; empty where no run has a pass rule or nothing was started."""
    if not runs or any(run.rule.threshold is None for run in runs):
        return ()
    stages = _declared(runs) or _inferred(runs)
    reached = {run.name: _reached(run, stages) for run in runs}
    chain = [name for name, _ in stages if name in {STARTED, PASSED} or _necessary(name, reached.values())]
    stage_names = [name for name, _ in stages if name in chain or _reached_anywhere(name, reached.values())]
    return tuple(
        {
            "stage": name,
            "order": place,
            "necessary": name in chain,
            "runs": {run: _line(name, chain, rows) for run, rows in reached.items()},
        }
        for place, name in enumerate(stage_names)
    )


def _inferred(runs: Sequence[Run]) -> list[tuple[str, Test]]:
    """What attempts do, then the verdict, then the checks of the verdict that every run knows."""
    middle = [(name, _submitted if name == SUBMITTED else _did(name)) for name in DEEDS]
    shared_checks = [name for name in runs[0].verdicts.stages if all(name in run.verdicts.stages for run in runs)]
    checks = [(f"check {name}", _check_test(name)) for name in shared_checks]
    middle[1:1] = _first_lookup(runs)
    return [(STARTED, _started), *middle, (VERIFIED, _verified), *checks, (PASSED, _passed)]


def _first_lookup(runs: Sequence[Run]) -> list[tuple[str, Test]]:
    """Whether a tool answers with which nearly all passes begin, where many rollouts of a run never get that far."""
    records = {run.name: run.facts["observed"].to_list() for run in runs}
    passing_tools = [
        _answered(record)
        for run in runs
        for record, passed in zip(records[run.name], _passed(run).tolist(), strict=True)
        if passed
    ]
    first = set(first_lookups(passing_tools))
    if not first or not known_everywhere(first, {run.name: run.facts["tools_called"].to_list() for run in runs}):
        return []
    reached = {
        run: np.array([not first.isdisjoint(_answered(record)) for record in of_run], dtype=np.bool_)
        for run, of_run in records.items()
    }
    for run in runs:
        acted = _did(ACTED)(run)
        if (acted & ~reached[run.name]).sum() >= max(FEWEST_LOST, LEAST_LOST * acted.sum()):
            return [(FOUND, lambda run: reached[run.name] & _started(run))]
    return []


def _answered(record: str | None) -> list[str]:
    """The tools that told a rollout something."""
    tools: list[str] = orjson.loads(record).get("answered", []) if record and '"answered"' in record else []
    return tools


def _declared(runs: Sequence[Run]) -> list[tuple[str, Test]]:
    """Stages that a benchmark.toml declares: a name, and the field or the tool that tells."""
    declared = runs[0].raw.benchmark.values.get("stages") or []
    stages = [(str(item["name"]), _test(item)) for item in declared]
    return [(STARTED, _started), *stages, (PASSED, _passed)] if stages else []


def _test(item: Mapping[str, Any]) -> Test:
    if "tool" in item:
        return _has("tools_called", item["tool"])
    field, expected = str(item["field"]), item.get("equals")

    def reached(run: Run) -> Flags:
        values = (row.get(field) for row in run.fields())
        return np.array(
            [value == expected if expected is not None else bool(value) for value in values], dtype=np.bool_
        )

    return reached


def _check_test(name: str) -> Test:
    """Whether the row says that a check of its verdict was met."""
    return lambda run: np.array([met_check(row, name) for row in run.fields()], dtype=np.bool_)


def _has(column: str, name: Any) -> Test:
    """Whether the list in a column holds a name."""

    def reached(run: Run) -> Flags:
        if not isinstance(name, str):
            return np.zeros(run.facts.height, dtype=np.bool_)
        return _flags(run.facts[column].list.contains(name))

    return reached


def _did(name: str) -> Test:
    """Whether an agent that started came to a stage: what a row shows of one that never did is no deed of the model."""
    reached = _has("stages", name)
    return lambda run: reached(run) & _started(run)


def _submitted(run: Run) -> Flags:
    """Rows whose work was handed in. Where passes do that by a command or a tool, a last message alone does not."""
    did_submit = _did(SUBMITTED)(run)
    records = run.facts["observed"].to_list()
    by_command = did_submit & np.array([_by_command(record) for record in records], dtype=np.bool_)
    passes = did_submit & _passed(run)
    usual = passes.sum() >= FEWEST_PASSES and (passes & by_command).sum() >= NECESSARY * passes.sum()
    return by_command if usual else did_submit


def _by_command(record: str | None) -> bool:
    """Whether a rollout hands its work in by a command or a tool; most records need not be parsed to tell."""
    return record is not None and '"submitted"' in record and "submitted" in orjson.loads(record)


def _started(run: Run) -> Flags:
    """All but rows whose audit says that the agent never ran."""
    if run.facts["stage_lost"].null_count() == run.facts.height:
        return np.ones(run.facts.height, dtype=np.bool_)
    return ~_flags(run.facts["stage_lost"].is_in(["no_trial", "not_started"]))


def _verified(run: Run) -> Flags:
    """Rows with a verdict; where nearly all have a record of the verifier, not those in which it is empty."""
    has_verdict = pl.col("reward").is_not_null() & ~pl.col("state").is_in(_UNGRADED)
    verified = _flags(run.facts.select(has_verdict).to_series()).copy()
    verified[sorted(without_record(_passed(run).tolist(), run.columns))] = False
    return verified


def _passed(run: Run) -> Flags:
    return _flags(run.facts["passed"])


def _flags(column: pl.Series) -> Flags:
    return (column.fill_null(value=False) if column.null_count() else column).to_numpy()


@frozen
class _Ways:
    """The rollouts of a run that are no copies and of this model: their tasks, and which of them reached a stage."""

    tasks: Sequence[str]
    reached: Mapping[str, Flags]

    def came_through(self, stages: Iterable[str]) -> Flags:
        through = np.ones(len(self.tasks), dtype=np.bool_)
        for stage in stages:
            through &= self.reached[stage]
        return through


def _reached(run: Run, stages: Sequence[tuple[str, Test]]) -> _Ways:
    own_rows = run.facts.select(~pl.col("copy") & ~pl.col("foreign")).to_series()
    rows = own_rows.to_numpy()
    return _Ways(run.facts["label"].filter(own_rows).to_list(), {name: test(run)[rows] for name, test in stages})


def _necessary(name: str, per_run: Iterable[_Ways]) -> bool:
    """Whether nearly every pass of every run went through a stage; with too few passes nothing is necessary."""
    passes = sum(int(attempts.reached[PASSED].sum()) for attempts in per_run)
    if passes < FEWEST_PASSES:
        return name in {ACTED, SUBMITTED, VERIFIED} and _reached_anywhere(name, per_run)
    through = sum(int((attempts.reached[PASSED] & attempts.reached[name]).sum()) for attempts in per_run)
    return through >= NECESSARY * passes


def _reached_anywhere(name: str, per_run: Iterable[_Ways]) -> bool:
    return any(bool(attempts.reached[name].any()) for attempts in per_run)


def _line(name: str, chain: Sequence[str], attempts: _Ways) -> dict[str, Any]:
    """`reached` counts the stage by itself; `survived` those that also went through the whole chain before it.

    `lost` names the tasks whose rollouts came as far as the stage before and not to this one, most rollouts first.
    """
    before = chain[: chain.index(name)] if name in chain else chain[:1]
    through, reached = attempts.came_through(before), attempts.reached[name]
    dropped: list[int] = np.flatnonzero(through & ~reached).tolist() if name in chain else []
    task_drops = Counter(attempts.tasks[place] for place in dropped)
    ordered = sorted(task_drops, key=lambda task: (-task_drops[task], task))
    return {
        "reached": int(reached.sum()),
        "of": len(attempts.tasks),
        "survived": int((through & reached).sum()),
        "lost": {"tasks": ordered[:LOST_SHOWN], "tasks_total": len(ordered)},
    }


def recorded(stage: Mapping[str, Any], run: RunAnalysis) -> bool:
    """Whether the rows of a run can show a stage beside the chain."""
    return stage["necessary"] or stage["stage"] not in DEEDS or bool(run.audit.get("records_turns", True))


def largest_drop(
    stages: Sequence[Mapping[str, Any]], run: str, *, before_verdict: bool = False
) -> tuple[str, str, int] | None:
    """The two neighbours of the chain between which most rollouts of a run are lost: of all, or before the last."""
    chain = [stage for stage in stages if stage["necessary"]]
    best: tuple[str, str, int] | None = None
    for stage, next_stage in pairwise(chain[:-1] if before_verdict else chain):
        drop = stage["runs"][run]["survived"] - next_stage["runs"][run]["survived"]
        if drop > 0 and (best is None or drop > best[2]):
            best = (stage["stage"], next_stage["stage"], drop)
    return best
