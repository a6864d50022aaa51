"""The report in other words, every verb that can be negated negated."""

from __future__ import annotations

from blade.judge.editing import AttackCase, each_sentence, negated
from blade.judge.paraphrase import paraphrase

BAND = (0.0, 0.10)


def make(case: AttackCase) -> str | None:
    return each_sentence(paraphrase(case.material), negated) if case.material is not None else None
