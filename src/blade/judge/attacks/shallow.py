"""The shallow baseline of the package."""

from __future__ import annotations

from blade.judge.editing import AttackCase

BAND = (0.0, 0.20)


def make(case: AttackCase) -> str | None:
    return case.shallow or None
