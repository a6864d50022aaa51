"""Ids of the right form that no run has."""

from __future__ import annotations

import random
import re

from blade.judge.editing import AttackCase, renamed

BAND = (0.0, 0.10)
TRIES = 20
_LAST_NUMBER = re.compile(r"\d+(?!.*\d)")
_LETTERS = re.compile(r"[^\W\d_]+")
_PARTS = re.compile(r"([^\W\d_]+)")


def make(case: AttackCase) -> str | None:
    dice = case.dice("fabricated")
    real_ids = set(case.base.names.tasks)
    names = {name: _fabricated(name, real_ids, dice) for name in case.ids}
    return renamed(case.golden, names) if len(names) >= 3 else None


def _fabricated(name: str, real_ids: set[str], dice: random.Random) -> str:
    """Another number of as many digits, or of more where all of those are taken; without digits, other words."""
    words = _LETTERS.findall(name)
    for attempt in range(TRIES):
        number = _LAST_NUMBER.search(name)
        if number:
            size = len(number[0]) + attempt // (TRIES // 2)
            fabricated = _LAST_NUMBER.sub(str(dice.randrange(10**size)).zfill(size), name)
        else:
            replacements = iter([word[::-1] if attempt else word for word in dice.sample(words, len(words))])
            fabricated = "".join(
                next(replacements) if _LETTERS.fullmatch(part) else part for part in _PARTS.split(name)
            )
        if fabricated not in real_ids:
            return fabricated
    return name
