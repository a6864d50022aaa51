"""Levels, outcomes and words of the benchmark given to one another: the strongest slice becomes the weakest."""

from __future__ import annotations

import re

from blade.judge.editing import Case, each_sentence, permuted, renamed

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


def make(case: Case) -> str | None:
    dice = case.dice("entities")
    kinds: dict[str, list[str]] = {}
    for thing in case.base.vocabulary.names:
        if thing.kind not in {"task", "bucket", "status"} and thing.name in case.golden:
            kinds.setdefault(thing.kind, []).append(thing.name)
    names: dict[str, str] = {}
    for found in kinds.values():
        names |= permuted([name for name in found if name not in names], dice)
    swapped = renamed(case.golden, names)
    ways = re.compile(rf"\b(?:{'|'.join(_OUTCOMES)})\b")
    return each_sentence(swapped, lambda one: ways.sub(lambda match: _OUTCOMES[match[0]], one))
