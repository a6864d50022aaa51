"""All numbers altered."""

from __future__ import annotations

from blade.judge.editing import AttackCase, altered_numbers

BAND = (0.0, 0.05)


def make(case: AttackCase) -> str | None:
    return altered_numbers(case.golden, 1.1, case.dice("altered"))
