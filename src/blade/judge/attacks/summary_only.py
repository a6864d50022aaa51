"""The executive summary alone."""

from __future__ import annotations

from blade.judge.editing import Case, section

BAND = (0.0, 0.35)


def make(case: Case) -> str | None:
    made = section(case.golden, lambda title: "summary" in title.lower())
    return made if len(made) > 300 else None
