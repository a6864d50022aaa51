"""Every verb that can be negated is: "is not", "does not"."""

from __future__ import annotations

import re

from blade.judge.editing import Case, each_sentence

BAND = (0.0, 0.10)
_AUXILIARY = re.compile(r"\b(is|are|was|were|has|have|had|can|could|will|would|does|do|did|must|should|may)\b(?! not)")
_VERB = re.compile(
    r"\b(scores?|pass(?:es|ed)?|fails?|failed|shows?|indicates?|suggests?|means|produces?|accounts?|leads?|requires?|"
    r"uses?|generates?|makes?|calls?|ends?|answers?|refuses?|leaves?|repeats?|includes?|gives?|changes?|agrees?|"
    r"occurs?|concentrates?|dominates?|achieves?|drops?|hits?|sometimes|always)\b"
)


def make(case: Case) -> str | None:
    def negated(one: str) -> str:
        if _AUXILIARY.search(one):
            return _AUXILIARY.sub(r"\1 not", one, count=1)
        return _VERB.sub(r"does not \1", one, count=1)

    return each_sentence(case.golden, negated)
