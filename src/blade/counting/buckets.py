"""always, sometimes, never, missing; and how sure a "never" is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from blade.counting.metrics import TaskRows
from blade.counting.passing import PassRule
from blade.model import Bucket, TaskResult
from blade.stats import betabinomial

CUT = 0.1
JEFFREYS = (0.5, 0.5)


def task_results(
    tasks: Sequence[TaskRows], expected: Mapping[str, int] | None, rule: PassRule, task_names: Iterable[str] = ()
) -> dict[str, TaskResult]:
    """One result per task seen or expected; a task without a counted row is missing."""
    tally = Counter((task.n, task.passes or 0) for task in tasks) if rule.threshold is not None else Counter()
    fitted = betabinomial.fit(tally) if tally else None
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
