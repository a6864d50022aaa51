"""Whether a figure of the analysis is what a sentence speaks of: some word of it stands in the figure's place.

A number equals something in an analysis of thousands of figures by chance; it is proved only by one that is named.
"""

from __future__ import annotations

import re

from blade.checking.numbers import Figure, Figures, Printed

_WORD = re.compile(r"[^\W\d_]{3,}")
LETTERS = 4
_EVERYWHERE = frozenset(
    "runs task roll valu inte rate shar coun tota name fiel leve than with from that this have".split()
)
"""Beginnings of words that stand in too many places to name one."""
_TOTALS = {"rollouts": "rollo", "tasks": "tasks"}
_SAME = (
    frozenset("pass solv succ scor rewa micr eval accu mean".split()),
    frozenset("grad judg verd coun eval".split()),
    frozenset("infr outa void brok lost".split()),
    frozenset("time trun trunc cut".split()),
    frozenset("deno expe star fini".split()),
)
"""Words for one thing."""


def named_fit(figures: Figures, number: Printed, words: str) -> Figure | None:
    """A figure that the number may stand for and that the words name."""
    stems = stems_of(words)
    return next((figure for figure in figures.fitting(number) if _is_named(figure, stems, words.lower())), None)


def stems_of(words: str) -> frozenset[str]:
    stems = {word[:LETTERS] for word in _WORD.findall(words.lower())}
    for group in _SAME:
        if stems & group:
            stems |= group
    return frozenset(stems - _EVERYWHERE)


def _is_named(figure: Figure, stems: frozenset[str], words: str) -> bool:
    """By a word of the place, without the name of the run; a total by its noun."""
    place = [str(part) for part in figure.path if isinstance(part, str)]
    if len(place) == 3 and place[-1] in _TOTALS:
        return _TOTALS[place[-1]] in words or "row" in words or "attempt" in words
    keys = place[2:] if place[:1] == ["runs"] else place[1:]
    return bool(stems & {word[:LETTERS] for key in keys for word in _WORD.findall(key.lower().replace("_", " "))})
