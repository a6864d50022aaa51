"""The beginnings of words, by which a sentence names what was counted; words for one thing count as one."""

from __future__ import annotations

import re

WORD = re.compile(r"[^\W\d_]{3,}")
LETTERS = 4
_EVERYWHERE = frozenset(
    "runs task roll valu inte rate shar coun tota name fiel leve than with from that this have".split()
)
"""Beginnings of words that stand in too many places to name one."""
_SAME = (
    frozenset("pass solv succ scor rewa micr eval accu mean".split()),
    frozenset("grad judg verd coun eval".split()),
    frozenset("infr outa void brok lost".split()),
    frozenset("time trun trunc cut".split()),
    frozenset("deno expe star fini".split()),
)
"""Words for one thing."""


def stems_of(words: str) -> frozenset[str]:
    stems = {word[:LETTERS] for word in WORD.findall(words.lower())}
    for group in _SAME:
        if stems & group:
            stems |= group
    return frozenset(stems - _EVERYWHERE)
