"""The report of another model on the same benchmark."""

from __future__ import annotations

from blade.judge.editing import Case

BAND = (0.0, 0.35)


def make(case: Case) -> str | None:
    return case.material.others[0][1] if case.material is not None and case.material.others else None
