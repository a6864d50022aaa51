"""Control: the golden report itself."""

from __future__ import annotations

from blade.judge.editing import AttackCase

BAND = (0.90, 1.0)


def make(case: AttackCase) -> str | None:
    return case.golden
