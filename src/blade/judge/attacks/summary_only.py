"""The executive summary alone."""

from __future__ import annotations

from blade.judge.editing import AttackCase, section

BAND = (0.0, 0.35)


def make(case: AttackCase) -> str | None:
    summary = section(case.golden, lambda title: "summary" in title.lower())
    return summary if len(summary) > 300 else None
