"""Rollouts that go in circles: one rule for all that counts them, advises on them or tells what a limit cut."""

from __future__ import annotations

from blade.diagnosis.cases import Case
from blade.diagnosis.remedies import LOOP_RULES


def in_circles(case: Case) -> bool:
    """Whether it repeats a call, its words or a change, or makes most of its later calls anew to the same answers."""
    return not LOOP_RULES.isdisjoint(case.fired()) or "going_round" in case.observed
