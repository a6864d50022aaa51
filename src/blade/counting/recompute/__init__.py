"""Recomputes a run's summary files from its rows, by the formulas of the program that wrote them."""

from __future__ import annotations

from blade.counting.recompute.checks import check_agent_metrics, check_aggregate
from blade.counting.recompute.compare import MOST_KEPT, TOLERANCE, Disagreement, Recomputed
from blade.counting.recompute.profiles import check_profile
from blade.counting.recompute.rows import ScoredRow, rows_from_facts

__all__ = [
    "MOST_KEPT",
    "TOLERANCE",
    "Disagreement",
    "Recomputed",
    "ScoredRow",
    "check_agent_metrics",
    "check_aggregate",
    "check_profile",
    "rows_from_facts",
]
