"""How tasks came out: always, sometimes, never, missing, how sure a "never" is, and a letter for every attempt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import polars as pl

from blade.counting.metrics import TaskRows
from blade.counting.passing import PassRule
from blade.model import Bucket, Status, TaskResult
from blade.stats import betabinomial

CUT = 0.1
JEFFREYS = (0.5, 0.5)
FEWEST_FITTED = 20
"""Tasks that tell how pass rates are spread: of fewer a "never" would seem far surer than it is."""


def task_results(
    tasks: Sequence[TaskRows], expected: Mapping[str, int] | None, rule: PassRule, task_names: Iterable[str] = ()
) -> dict[str, TaskResult]:
    """One result per task seen or expected; a task without a counted row is missing."""
    tally = Counter((task.n, task.passes or 0) for task in tasks) if rule.threshold is not None else Counter()
    fitted = betabinomial.fit(tally) if tally.total() >= FEWEST_FITTED else None
    prior = (fitted.a, fitted.b) if fitted else JEFFREYS
    expected_of: dict[str, int | None] = {**dict.fromkeys(task_names), **(expected or {})}
    missing = Bucket.MISSING if rule.threshold is not None else None
    results = {name: TaskResult(0, expected_rows, None, None, missing) for name, expected_rows in expected_of.items()}
    for task in tasks:
        bucket = bucket_of(task.n, task.passes)
        above = None
        if bucket is Bucket.NEVER:
            above = betabinomial.prob_rate_above(task.n, 0, CUT, *prior)
        results[task.task] = TaskResult(
            task.n, expected_of.get(task.task), task.passes, task.total / task.n, bucket, above
        )
    return dict(sorted(results.items()))


def bucket_of(n: int, passes: int | None) -> Bucket | None:
    if passes is None:
        return None
    if n == 0:
        return Bucket.MISSING
    if passes == 0:
        return Bucket.NEVER
    return Bucket.ALWAYS if passes == n else Bucket.SOMETIMES


def count_buckets(results: Mapping[str, TaskResult], rule: PassRule) -> dict[str, int] | None:
    """How many tasks in each bucket, or None where nothing says what a pass is."""
    if rule.threshold is None:
        return None
    counts = Counter(result.bucket for result in results.values())
    return {bucket.value: counts[bucket] for bucket in Bucket}


MOST = 64
"""Letters kept per task: a matrix shows no more attempts."""
_LETTERS = {
    Status.MISSING.value: "m",
    Status.SKIPPED.value: "s",
    Status.INFRASTRUCTURE.value: "i",
    Status.VERIFIER_ERROR.value: "v",
}


def with_outcomes(results: Mapping[str, TaskResult], facts: pl.DataFrame) -> dict[str, TaskResult]:
    """The results with a letter per attempt; copies and foreign rows are left out."""
    own_rows = facts.filter(~pl.col("copy") & ~pl.col("foreign")).sort("task", "attempt", "row_hash")
    letters: dict[str, list[tuple[int, str]]] = {}
    for task, attempt, state, passed in own_rows.select("task", "attempt", "state", "passed").iter_rows():
        letters.setdefault(task, []).append((attempt, _letter(state, passed)))
    return {task: replace(result, outcomes=_line(result, letters.get(task, []))) for task, result in results.items()}


def _letter(state: str, passed: bool | None) -> str:
    return _LETTERS.get(state) or ("g" if passed is None else "p" if passed else "f")


def _line(result: TaskResult, letters: list[tuple[int, str]]) -> str:
    """The letters, each at the place of its attempt where those count from zero; else in order, the gaps at the end."""
    length = min(MOST, max(result.expected or 0, len(letters)))
    placed = {attempt: letter for attempt, letter in letters if 0 <= attempt < length}
    if len(placed) == len(letters):
        return "".join(placed.get(attempt, "m") for attempt in range(length))
    return "".join(letter for _, letter in letters)[:length].ljust(length, "m")
