"""Levels, outcomes and words of the benchmark given to one another: the strongest slice becomes the weakest."""

from __future__ import annotations

import re

from blade.judge.editing import AttackCase, each_sentence, permuted, renamed

BAND = (0.0, 0.25)
_OUTCOMES = {
    "pass": "fail",
    "passes": "fails",
    "passed": "failed",
    "passing": "failing",
    "fail": "pass",
    "fails": "passes",
    "failed": "passed",
    "failing": "passing",
    "always": "never",
    "never": "always",
    "highest": "lowest",
    "lowest": "highest",
    "more": "less",
    "less": "more",
    "larger": "smaller",
    "higher": "lower",
    "lower": "higher",
}


def make(case: AttackCase) -> str | None:
    dice = case.dice("entities")
    kinds: dict[str, list[str]] = {}
    for entity in case.base.vocabulary.names:
        if entity.kind not in {"task", "bucket", "status"} and entity.name in case.golden:
            kinds.setdefault(entity.kind, []).append(entity.name)
    names: dict[str, str] = {}
    for names_of_kind in kinds.values():
        names |= permuted([name for name in names_of_kind if name not in names], dice)
    swapped = renamed(case.golden, names)
    outcome_words = re.compile(rf"\b(?:{'|'.join(_OUTCOMES)})\b")
    return each_sentence(swapped, lambda sentence: outcome_words.sub(lambda match: _OUTCOMES[match[0]], sentence))
