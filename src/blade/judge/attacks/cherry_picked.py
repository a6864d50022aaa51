"""Only true statements, the largest failure mode left out."""

from __future__ import annotations

from blade.judge.editing import AttackCase, each_sentence
from blade.judge.subscores import dominant

BAND = (0.0, 0.90)


def make(case: AttackCase) -> str | None:
    top = dominant(case.base)
    if top is None:
        return None
    return each_sentence(
        case.golden, lambda sentence: "" if top in case.base.vocabulary.entities(sentence) else sentence
    )
