"""Headings, bars and the word "task": the look of a report."""

from __future__ import annotations

from blade.judge.editing import AttackCase

BAND = (0.0, 0.05)
_TITLES = (
    "Executive Summary",
    "Artifact Inventory",
    "Aggregate Results",
    "Workflow Funnel",
    "Task Outcome Buckets",
    "Dominant Failure Modes",
    "Recommendations",
    "Reproducibility Notes",
)


def make(case: AttackCase) -> str | None:
    del case
    parts = [
        f"## {title}\n\n| task | rollout | evidence |\n| --- | --- | --- |\n| task | task | task |" for title in _TITLES
    ]
    return "# Report\n\n" + "\n\n".join(parts) + "\n\n" + "task rollout verifier evidence log. " * 20 + "\n"
