"""How much of a run was lost: rollouts that did not run or were not judged, which say nothing about the model."""

from __future__ import annotations

from blade.model import NOT_EVALUABLE, RunAnalysis, Status

MOSTLY = 0.5
KEPT = 0.9
"""A run of which fewer rollouts ran and were judged is no measure of the model."""


def judged_rollouts(run: RunAnalysis) -> int:
    """How many rollouts ran and were judged."""
    unjudged = sum(run.statuses.get(status.value, 0) for status in NOT_EVALUABLE if status is not Status.MISSING)
    return run.rollouts - unjudged


def mostly_lost(run: RunAnalysis) -> bool:
    """Whether most rollouts did not run or were not judged: no change of such a score is one of the model."""
    return judged_rollouts(run) < MOSTLY * run.rollouts


def lost_much(run: RunAnalysis) -> bool:
    """Whether so few rollouts ran and were judged that the score is no measure of the model."""
    return judged_rollouts(run) <= KEPT * run.rollouts
