"""Whether a figure of the analysis is what a sentence speaks of: some word of it stands in the figure's place.

A number equals something in an analysis of thousands of figures by chance; it is proved only by one that is named.
"""

from __future__ import annotations

from blade.checking.numbers import Figure, Figures, Printed
from blade.checking.word_stems import LETTERS, WORD, stems_of

_TOTALS = {"rollouts": "rollo", "tasks": "tasks"}


def named_fit(figures: Figures, number: Printed, words: str) -> Figure | None:
    """A figure that the number may stand for and that the words name."""
    stems = stems_of(words)
    return next((figure for figure in figures.fitting(number) if _is_named(figure, stems, words.lower())), None)


def _is_named(figure: Figure, stems: frozenset[str], words: str) -> bool:
    """By a word of the place, without the name of the run; a total by its noun."""
    place = [str(part) for part in figure.path if isinstance(part, str)]
    if len(place) == 3 and place[0] == "runs" and place[-1] in _TOTALS:
        return _TOTALS[place[-1]] in words or "row" in words or "attempt" in words
    keys = place[2:] if place[:1] == ["runs"] else place[1:]
    return bool(stems & {word[:LETTERS] for key in keys for word in WORD.findall(key.lower().replace("_", " "))})
