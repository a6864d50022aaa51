"""Real ids, each in the place of another."""

from __future__ import annotations

from blade.judge.editing import AttackCase, permuted, renamed

BAND = (0.0, 0.20)


def make(case: AttackCase) -> str | None:
    return renamed(case.golden, permuted(case.ids, case.dice("ids"))) if len(case.ids) >= 4 else None
