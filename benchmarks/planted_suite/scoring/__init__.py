"""Holds the `change` of a report against the truth of a planted case, and sums many cases up."""

from __future__ import annotations

from benchmarks.planted_suite.scoring.marks import Marks, mark
from benchmarks.planted_suite.scoring.summary import PlantSummary, PromiseLine, summarise

__all__ = ["Marks", "PlantSummary", "PromiseLine", "mark", "summarise"]
