"""The report of another model on the same benchmark."""

from __future__ import annotations

from blade.judge.editing import AttackCase

BAND = (0.0, 0.35)


def make(case: AttackCase) -> str | None:
    return case.material.others[0][1] if case.material is not None and case.material.others else None
