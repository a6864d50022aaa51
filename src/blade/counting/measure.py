"""One settled run → everything that is counted about it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import polars as pl

from blade.counting.audit import late_words
from blade.counting.buckets import count_buckets, task_results, with_outcomes
from blade.counting.denominator import denominator, unaccounted
from blade.counting.derived_slices import useless
from blade.counting.metrics import metrics, task_rows
from blade.counting.provenance import provenance
from blade.counting.reasons import status_reasons
from blade.counting.run import Run
from blade.counting.sidecars import check_sidecars
from blade.counting.slices import TaskSlices, all_slices, field_profile, slice_table
from blade.counting.spending import spending
from blade.counting.tokens import endings, token_statistics
from blade.frozen import frozen
from blade.model import NOT_EVALUABLE, Flaw, RunAnalysis, TaskResult
from blade.options import Options
from blade.stats import rates


@frozen
class Measured:
    """The analysis of one run, with the per-task results that a comparison needs."""

    analysis: RunAnalysis
    results: dict[str, TaskResult]
    slices: TaskSlices
    flaws: tuple[Flaw, ...]


def measure(
    run: Run, options: Options, slices: TaskSlices | None = None, hidden: frozenset[str] | None = None
) -> Measured:
    """Metrics on every graded row, and again on the evaluable ones. Hidden slices are searched and not shown."""
    expected = run.expected.per_task if run.expected.total is not None else None
    tasks = task_rows(run.graded)
    headline = metrics(tasks, expected, run.rule, unnamed=run.expected.unnamed, seed=options.seed)
    evaluable_tasks = task_rows(run.evaluable)
    evaluable = metrics(evaluable_tasks, expected, run.rule, unnamed=run.expected.unnamed, seed=options.seed)
    headline["score_as_found"] = _as_found(run.facts)
    evaluable["score_as_found"] = _as_found(
        run.facts.filter(~pl.col("state").is_in([status.value for status in NOT_EVALUABLE]))
    )
    headline["evaluable"] = evaluable
    headline["missing"] = options.missing
    row_tasks = run.facts["task"].to_list()
    results = with_outcomes(task_results(tasks, expected, run.rule, row_tasks), run.facts)
    slices = all_slices([run], [], options)[0] if slices is None else slices
    hidden = useless_slices([run], [slices]) if hidden is None else hidden
    chain, statuses = denominator(run.facts, dict(run.failed), run.expected, headline.pop("bounds"))
    evaluable.pop("bounds")
    checks, check_flaws = check_sidecars(run)
    analysis = RunAnalysis(
        name=run.name,
        files=run.files,
        provenance=provenance(run, options),
        tasks=len(results),
        rollouts=run.facts.height,
        score_threshold=run.rule.threshold,
        pass_source=run.rule.source,
        scale=run.rule.scale,
        statuses=statuses,
        metrics=headline,
        denominator=chain,
        buckets=count_buckets(results, run.rule),
        buckets_evaluable=count_buckets(task_results(evaluable_tasks, expected, run.rule, row_tasks), run.rule),
        tokens=token_statistics(run.graded),
        spending=spending(run.facts, run.columns),
        reasons=tuple(status_reasons(run.facts)),
        endings=endings(run.evaluable),
        slices=tuple(slice_table(tasks, slices, run.rule, hidden, evaluable_tasks)),
        checks=tuple(checks),
        fields=tuple(field_profile(run.facts, run.columns)),
        key_source=_key_source(run.facts),
        audit=_audit(run),
    )
    return Measured(analysis, results, slices, (*run.flaws, *check_flaws, *unaccounted(chain, statuses)))


def useless_slices(runs: Sequence[Run], slices: Sequence[TaskSlices]) -> frozenset[str]:
    """The derived slices that are not worth a table in any of the runs."""
    return useless([{task.task: task.total / task.n for task in task_rows(run.graded)} for run in runs], slices)


def _audit(run: Run) -> dict[str, Any]:
    if run.audit is None:
        return {}
    rewards = run.facts.select(pl.when(pl.col("counted")).then(pl.col("reward"))).to_series().to_list()
    run_limits = [asdict(limit) for limit, _ in run.reached_limits]
    return {**run.audit.data(rewards), "limits": run_limits, "late_words": late_words(run.facts)}


def _as_found(facts: pl.DataFrame) -> float | None:
    """The score before anything is set right: copies counted, rows as they stand."""
    rows = facts.filter(pl.col("reward").is_not_null() & ~pl.col("skipped"))
    grouped = rows.group_by("task", maintain_order=True).agg("reward")["reward"].to_list()
    return rates.macro([(len(rewards), math.fsum(rewards)) for rewards in grouped])


def _key_source(facts: pl.DataFrame) -> str:
    return "+".join(sorted(facts["key_source"].unique().to_list()))
