"""The shallow baseline of the package."""

from __future__ import annotations

from blade.judge.editing import Case

BAND = (0.0, 0.20)


def make(case: Case) -> str | None:
    return case.shallow or None
