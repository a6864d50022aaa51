"""Control: the golden report itself."""

from __future__ import annotations

from blade.judge.editing import Case

BAND = (0.90, 1.0)


def make(case: Case) -> str | None:
    return case.golden
