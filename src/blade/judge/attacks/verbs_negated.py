"""Every verb that can be negated is: "is not", "does not"."""

from __future__ import annotations

from blade.judge.editing import AttackCase, each_sentence, negated

BAND = (0.0, 0.10)


def make(case: AttackCase) -> str | None:
    return each_sentence(case.golden, negated)
