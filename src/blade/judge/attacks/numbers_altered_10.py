"""10 % of the numbers altered."""

from __future__ import annotations

from blade.judge.editing import AttackCase, altered_numbers

BAND = (0.0, 0.60)


def make(case: AttackCase) -> str | None:
    return altered_numbers(case.golden, 0.10, case.dice("altered"))
