"""Anchor facts: what a report must know, generated from the runs or, more weakly, from a report's text."""

from __future__ import annotations

from blade.anchors.anchor import Anchor, Anchors, Predicate, dump, load
from blade.anchors.extract import Extracted, extract, rollouts_beside
from blade.anchors.generate import generate
from blade.anchors.text import from_report

__all__ = [
    "Anchor",
    "Anchors",
    "Extracted",
    "Predicate",
    "dump",
    "extract",
    "from_report",
    "generate",
    "load",
    "rollouts_beside",
]
