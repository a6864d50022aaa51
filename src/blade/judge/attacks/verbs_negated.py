"""Every verb that can be negated is: "is not", "does not"."""

from __future__ import annotations

from blade.judge.editing import Case, each_sentence, negated

BAND = (0.0, 0.10)


def make(case: Case) -> str | None:
    return each_sentence(case.golden, negated)
