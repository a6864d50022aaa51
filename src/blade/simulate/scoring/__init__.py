"""Holds the `change` of a report against the truth of a planted case, and sums many cases up."""

from __future__ import annotations

from blade.simulate.scoring.marks import Marks, mark
from blade.simulate.scoring.summary import PlantSummary, PromiseLine, summarise

__all__ = ["Marks", "PlantSummary", "PromiseLine", "mark", "summarise"]
