"""Ids of the right form that no run has."""

from __future__ import annotations

import random
import re

from blade.judge.editing import Case, renamed

BAND = (0.0, 0.10)
TRIES = 20
_LAST_NUMBER = re.compile(r"\d+(?!.*\d)")
_LETTERS = re.compile(r"[^\W\d_]+")
_PARTS = re.compile(r"([^\W\d_]+)")


def make(case: Case) -> str | None:
    dice = case.dice("fabricated")
    known = set(case.base.names.tasks)
    names = {name: _fabricated(name, known, dice) for name in case.ids}
    return renamed(case.golden, names) if len(names) >= 3 else None


def _fabricated(name: str, known: set[str], dice: random.Random) -> str:
    """Another number of as many digits, or of more where all of those are taken; without digits, other words."""
    words = _LETTERS.findall(name)
    for more in range(TRIES):
        number = _LAST_NUMBER.search(name)
        if number:
            size = len(number[0]) + more // (TRIES // 2)
            made = _LAST_NUMBER.sub(str(dice.randrange(10**size)).zfill(size), name)
        else:
            others = iter([word[::-1] if more else word for word in dice.sample(words, len(words))])
            made = "".join(next(others) if _LETTERS.fullmatch(part) else part for part in _PARTS.split(name))
        if made not in known:
            return made
    return name
