"""expected → started → finished → graded → counted: every rollout that does not count, with the reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import polars as pl

from blade.counting.expected import Expected, Key
from blade.counting.status import NOT_UNDERSTOOD
from blade.extract.error_claims import FAILURE_STATUS
from blade.model import Denominator, Flaw, Loss, Status

UNTRACED = "missing without a trace"
UNREAD = "not understood"
"""Why rollouts of the status `missing` do not count: no row, or one of a shape that is not known."""


def failure_states(
    frame: pl.DataFrame, failures: pl.DataFrame, expected: Expected
) -> tuple[dict[Key, tuple[str, str]], list[Flaw]]:
    """Final state (status, class) of keys that only the failures file knows; rows of an earlier run are set aside.

    A key that failed several times ended as its terminal failure says, else as the last try.
    """
    have = set(frame.select("task", "attempt").rows())
    states: dict[Key, tuple[str, str]] = {}
    stale = nameless = 0
    order = ("task_index", "attempt_index", "failure_terminal", "retry", "failure_class")
    for task, attempt, _, _, name in failures.select(order).sort(order, nulls_last=False).rows():
        if task is None:
            nameless += 1
            continue
        key = (str(task), int(attempt or 0))
        if key in have:
            continue
        if expected.keys and key not in expected.keys:
            stale += 1
            continue
        label = name or "failed"
        states[key] = (FAILURE_STATUS.get(label, Status.INFRASTRUCTURE.value), label)
    flaws = []
    if stale:
        text = f"{stale} rows of the failures file are not among the expected rollouts (of an earlier run at this path)"
        flaws.append(Flaw("stale-failures", text, rows=stale))
    if nameless:
        text = f"{nameless} rows of the failures file carry no task index, so they explain no missing rollout"
        flaws.append(Flaw("failures-without-task", text, rows=nameless))
    return states, flaws


def denominator(
    frame: pl.DataFrame,
    failed: dict[Key, tuple[str, str]],
    expected: Expected,
    bounds: tuple[float, float] | None,
) -> tuple[Denominator, dict[str, int]]:
    """The chain and the statuses of all rollouts, the missing ones included. Copies are not rollouts."""
    rows = frame.filter(~pl.col("copy"))
    graded = rows.filter(pl.col("reward").is_not_null() & ~pl.col("skipped")).height
    skipped = rows.filter(pl.col("skipped")).height
    scoreless = rows.height - graded - skipped
    losses: Counter[str] = Counter()
    statuses: Counter[str] = Counter(rows["state"].to_list())
    for status, name in failed.values():
        losses[f"failed: {name}"] += 1
        statuses[status] += 1
    ungraded_failures = sum(name == "judge_failed" for _, name in failed.values())
    total = expected.total
    untraced = _untraced(rows, failed, expected)
    if untraced:
        losses[UNTRACED] += untraced
        statuses[Status.MISSING.value] += untraced
    if skipped:
        losses["verification was skipped"] += skipped
    unread = rows.filter(pl.col("reason") == NOT_UNDERSTOOD).height
    if unread:
        losses[UNREAD] += unread
    if scoreless > unread:
        losses["no usable score"] += scoreless - unread
    counted_rows = rows.filter(pl.col("counted")).height
    if counted_rows < graded:
        losses["made by another model"] += graded - counted_rows
    chain = Denominator(
        expected=total,
        expected_source=expected.source,
        expected_note=expected.note,
        started=rows.height + len(failed),
        finished=rows.height + ungraded_failures,
        graded=graded,
        counted=counted_rows,
        losses=tuple(
            Loss(reason, count) for reason, count in sorted(losses.items(), key=lambda pair: (-pair[1], pair[0]))
        ),
        bounds=bounds,
    )
    return chain, {status.value: statuses[status.value] for status in Status if statuses[status.value]}


def unaccounted(chain: Denominator, statuses: Mapping[str, int]) -> list[Flaw]:
    """A flaw where the chain does not close: every rollout is counted or lost for a reason, and has one status."""
    losses = sum(loss.rollouts for loss in chain.losses)
    untraced = sum(loss.rollouts for loss in chain.losses if loss.reason == UNTRACED)
    gaps = {
        "counted rollouts and losses": chain.counted + losses - chain.started - untraced,
        "the statuses": sum(statuses.values()) - chain.started - untraced,
        "the rollouts that were looked for": min(0, chain.started + untraced - (chain.expected or 0)),
    }
    return [
        Flaw("rows-unaccounted", f"{parts} miss the rollouts of the run by {gap}", rows=abs(gap))
        for parts, gap in gaps.items()
        if gap
    ]


def _untraced(rows: pl.DataFrame, failed: Mapping[Key, tuple[str, str]], expected: Expected) -> int:
    """Expected rollouts that no file knows, task by task: a surplus in one never makes up for a gap in another."""
    have = {*rows.select("task", "attempt").rows(), *failed}
    if expected.keys:
        return len(expected.keys - have)
    row_counts = Counter(rows["task"].to_list()) + Counter(task for task, _ in failed)
    return sum(max(0, expected_rows - row_counts[task]) for task, expected_rows in expected.per_task.items()) + sum(
        expected.unnamed
    )
