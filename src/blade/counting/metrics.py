"""The numbers of one run: score, pass@k and its kin, intervals, what the design could see."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from blade.counting.passing import PassRule
from blade.counting.recompute import passk
from blade.frozen import frozen
from blade.stats import betabinomial, components, intervals, majority, power, rates

MOST_K = 32
FEW_TASKS = 50
ASKED_CHANGES = (0.01, 0.02, 0.05, 0.10)


@frozen
class TaskRows:
    """The counted rows of one task."""

    task: str
    rewards: tuple[float, ...]
    passes: int | None
    answers: tuple[str | None, ...]

    @property
    def n(self) -> int:
        return len(self.rewards)

    @property
    def total(self) -> float:
        return math.fsum(self.rewards)


def task_rows(rows: pl.DataFrame) -> list[TaskRows]:
    """Counted rows by task, both in a fixed order."""
    grouped = rows.group_by("task", maintain_order=True).agg("reward", "passed", "answer")
    return [
        TaskRows(task, tuple(rewards), None if None in passed else sum(passed), tuple(answers))
        for task, rewards, passed, answers in grouped.iter_rows()
    ]


def metrics(
    tasks: Sequence[TaskRows],
    expected: Mapping[str, int] | None,
    rule: PassRule,
    *,
    unnamed: Sequence[int] = (),
    seed: int = 0,
) -> dict[str, Any]:
    """Every metric of one set of rows. What does not apply is None or empty, never left out."""
    totals = [(task.n, task.total) for task in tasks]
    values: dict[str, Any] = {
        "tasks": len(tasks),
        "rollouts": sum(n for n, _ in totals),
        "score": rates.macro(totals),
        "micro": rates.micro(totals),
    }
    values |= _expectation(tasks, expected, unnamed, unit=rule.scale == "unit")
    values |= _spread(tasks, unit=rule.scale == "unit")
    values |= _passes(tasks, rule)
    values["tasks_used"] = _tasks_used(tasks)
    values["best_of_k"] = _best_of_k(tasks) if rule.threshold is None or not _binary(tasks) else {}
    votes = _can_vote(tasks)
    values["majority_at_k"] = _majority(tasks, seed) if votes else {}
    values["majority_first_k"] = _majority_of_the_first(tasks) if votes else {}
    return values


def common_k(tasks: Sequence[TaskRows]) -> int:
    """The k that all but a twentieth of the tasks reach."""
    counts = sorted(task.n for task in tasks)
    return counts[math.ceil(0.05 * len(counts)) - 1] if counts else 0


def _expectation(
    tasks: Sequence[TaskRows], expected: Mapping[str, int] | None, unnamed: Sequence[int], *, unit: bool
) -> dict[str, Any]:
    if expected is None:
        return {"coverage": None, "score_zero_fill": None, "bounds": None}
    rows_of_task = {task.task: task for task in tasks}
    names = sorted({*expected, *rows_of_task})
    pairs = [(rows_of_task[name].n, rows_of_task[name].total) if name in rows_of_task else (0, 0.0) for name in names]
    expected_rows = [expected.get(name, pair[0]) for name, pair in zip(names, pairs, strict=True)]
    pairs.extend((0, 0.0) for _ in unnamed)
    expected_rows.extend(unnamed)
    return {
        "coverage": rates.coverage(pairs, expected_rows),
        "score_zero_fill": rates.zero_fill(pairs, expected_rows),
        "bounds": rates.bounds(pairs, expected_rows) if unit and _in_unit(tasks) else None,
    }


def _in_unit(tasks: Sequence[TaskRows]) -> bool:
    return all(-1e-9 <= value <= 1 + 1e-9 for task in tasks for value in task.rewards)


def _variances(tasks: Sequence[TaskRows]) -> npt.NDArray[np.float64]:
    """The variance inside each task; those of tasks with as many attempts are worked out together."""
    variances = np.zeros(len(tasks))
    for attempts in {task.n for task in tasks if task.n > 1}:
        places = [place for place, task in enumerate(tasks) if task.n == attempts]
        variances[places] = np.var(
            np.array([tasks[place].rewards for place in places], dtype=np.float64), axis=1, ddof=1
        )
    return variances


def _spread(tasks: Sequence[TaskRows], *, unit: bool) -> dict[str, Any]:
    """Variance components, the interval of the score, and what a later comparison of this design could see."""
    empty: dict[str, Any] = {
        "components": None,
        "score_interval": None,
        "interval_method": None,
        "mde": None,
        "repeats_needed": {},
    }
    if not tasks:
        return empty
    counts = np.array([task.n for task in tasks], dtype=np.float64)
    means = np.array([task.total / task.n for task in tasks])
    variances = _variances(tasks)
    parts = components.components(counts, means, variances)
    values: dict[str, Any] = {**empty, "components": asdict(parts)}
    score = parts.score
    if score is None:
        return values
    if unit:
        clipped = min(max(score, 0.0), 1.0)
        values["score_interval"] = intervals.wilson_t(clipped, len(tasks), int(counts.sum()), parts.se_super)
        values["interval_method"] = "Wilson with t and effective n, tasks as clusters"
    elif parts.se_super:  # where all tasks score alike on an open scale, nothing says how far others may lie
        values["score_interval"] = intervals.t_interval(score, parts.se_super, len(tasks) - 1)
        values["interval_method"] = "t over tasks"
    if values["score_interval"] is None:
        values["interval_method"] = None
    return values | _reach(parts, counts)


def _reach(parts: components.Components, counts: np.ndarray[Any, np.dtype[np.float64]]) -> dict[str, Any]:
    if not parts.within:
        return {}  # without repeats, or where no task ever wavered, the noise of a rerun is not known
    within = (parts.within, parts.within)
    n = len(counts) / float(np.sum(1.0 / counts))
    needed = {}
    for change in ASKED_CHANGES:
        repeats = power.repeats_needed(change, len(counts), within)
        needed[f"{change:g}"] = None if math.isinf(repeats) else int(repeats)
    return {"mde": power.mde(len(counts), within, (n, n)), "repeats_needed": needed}


def _passes(tasks: Sequence[TaskRows], rule: PassRule) -> dict[str, Any]:
    names = ("any_at_n", "consistency", "flakiness", "retry_value", "pass_rate_interval", "beta_binomial")
    values: dict[str, Any] = {"pass_at_k": {}, "pass_hat_k": {}, "k": None, **dict.fromkeys(names)}
    if rule.threshold is None or not tasks:
        return values
    tally = Counter((task.n, task.passes or 0) for task in tasks)
    for k in _ks(tasks):
        values["pass_at_k"][str(k)] = rates.mean_pass_at_k(tally, k)[0]
        values["pass_hat_k"][str(k)] = rates.mean_pass_hat_k(tally, k)[0]
    k = common_k(tasks)
    values["k"] = k
    values["any_at_n"] = rates.any_at_n(tally)
    values["consistency"] = rates.consistency(tally)
    values["flakiness"] = rates.flakiness(tally)
    values["retry_value"] = rates.retry_value(tally, k)[0] if k > 1 else None
    values["pass_rate_interval"] = _pass_rate_interval(tasks)
    fitted = betabinomial.fit(tally)
    interval = betabinomial.posterior_interval(tally) if len(tasks) < FEW_TASKS else None
    values["beta_binomial"] = (
        {**(asdict(fitted) if fitted else {}), "interval": interval} if fitted or interval else None
    )
    return values


def _pass_rate_interval(tasks: Sequence[TaskRows]) -> tuple[float, float] | None:
    parts = components.binary_components([task.n for task in tasks], [task.passes or 0 for task in tasks])
    if parts.score is None:
        return None
    return intervals.wilson_t(parts.score, parts.tasks, parts.rows, parts.se_super)


def _binary(tasks: Sequence[TaskRows]) -> bool:
    return all(value in (0.0, 1.0) for task in tasks for value in task.rewards)


def _ks(tasks: Sequence[TaskRows]) -> list[int]:
    top = max((task.n for task in tasks), default=0)
    ks = list(range(1, min(top, MOST_K) + 1))
    return ks if top <= MOST_K else [*ks, top]


def _tasks_used(tasks: Sequence[TaskRows]) -> dict[str, int]:
    """The tasks with at least k rows, for each k."""
    attempts = Counter(task.n for task in tasks)
    return {str(k): sum(many for n, many in attempts.items() if n >= k) for k in _ks(tasks)}


def _best_of_k(tasks: Sequence[TaskRows]) -> dict[str, float | None]:
    rewards = [task.rewards for task in tasks]
    return {str(k): rates.mean_best_of_k(rewards, k)[0] for k in _ks(tasks)}


def _can_vote(tasks: Sequence[TaskRows]) -> bool:
    """Whether tasks have repeats with extracted answers, and no best-scored row lacks an answer.

    A row that scored well without an extracted answer shows that the field is not what was graded.
    """
    pairs = [pair for task in tasks for pair in zip(task.answers, task.rewards, strict=True)]
    if not any(answer is not None for answer, _ in pairs) or max(task.n for task in tasks) < 2:
        return False
    top = max(reward for _, reward in pairs)
    return not any(answer is None and reward >= top for answer, reward in pairs)


def _majority(tasks: Sequence[TaskRows], seed: int) -> dict[str, float | None]:
    """Majority vote over extracted answers, averaged over all choices of k attempts: the order does not matter."""
    ballots = Counter(majority.ballot(task.answers, task.rewards) for task in tasks)
    shares: dict[str, float | None] = {}
    for k in _ks(tasks):
        values = ((majority.counted_at_k(ballot, k, seed=seed), times) for ballot, times in ballots.items())
        votes = [value for value, times in values if value is not None for _ in range(times)]
        shares[str(k)] = math.fsum(votes) / len(votes) if votes else None
    return shares


def _majority_of_the_first(tasks: Sequence[TaskRows]) -> dict[str, float | None]:
    """What NeMo Gym's summary files call majority@k: the vote of each task's first k attempts, in their order.

    Tasks with fewer attempts stay in, and an answer that was scored in two ways splits its vote.
    """
    scores: list[passk.Scores] = [list(task.rewards) for task in tasks]
    answers = [task.answers for task in tasks]
    votes = {str(k): passk.majority_at(scores, answers, k) for k in _ks(tasks)}
    return {k: None if value is None else value / 100.0 for k, value in votes.items()}
