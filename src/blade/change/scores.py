"""Rewards by task and run, as the tests of a change take them."""

from __future__ import annotations

from collections.abc import Collection

from blade.change.score_corrections import CorrectedScores
from blade.stats import ledger

Scores = tuple[list[tuple[float, ...]], list[tuple[float, ...]]]
"""Rewards of the base and of the candidate, one entry per task, in the same order."""

OPEN = ("missing", "timed_out", "truncated", "malformed")
"""Statuses that may have hit rollouts that were failing anyway."""


def task_scores(corrected: CorrectedScores, common: list[str]) -> Scores:
    """All rewards on the common tasks."""
    sides = []
    for run in (corrected.base, corrected.candidate):
        rewards: dict[str, list[float]] = {task: [] for task in common}
        for row in run.rows:
            if row.task in rewards:
                rewards[str(row.task)].append(row.reward)
        sides.append([tuple(sorted(rewards[task])) for task in common])
    return sides[0], sides[1]


def clean_scores(
    corrected: CorrectedScores, common: list[str], failing: Collection[str] = ()
) -> tuple[Scores, list[str]]:
    """Rewards of the rows that nothing hit, and their tasks: those that have such rows in both runs.

    Rows with a status in `failing` count as plain failures. Where rows were scored again, the reward is that which the
    ledger tells behaviour with, free of a change of the verifier or of the key.
    """
    shared = all(any(row.rescored is not None for row in run.rows) for run in (corrected.base, corrected.candidate))
    lowest = min([0.0, *(row.reward for run in (corrected.base, corrected.candidate) for row in run.rows)])
    sides = []
    for run in (corrected.base, corrected.candidate):
        rewards: dict[str, list[float]] = {task: [] for task in common}
        for row in run.rows:
            if row.task in rewards and (row.status == "ok" or row.status in failing):
                rewards[str(row.task)].append(_row_score(row, shared=shared) if row.status == "ok" else lowest)
        sides.append(rewards)
    common_clean = [task for task in common if sides[0][task] and sides[1][task]]
    return (
        [tuple(sorted(sides[0][t])) for t in common_clean],
        [tuple(sorted(sides[1][t])) for t in common_clean],
    ), common_clean


def _row_score(row: ledger.LedgerRow, *, shared: bool) -> float:
    """The reward free of a verifier change: the other verifier's, or the mean where rows of both were re-scored."""
    if row.rescored is None:
        return row.reward
    return (row.reward + row.rescored) / 2.0 if shared else row.rescored
