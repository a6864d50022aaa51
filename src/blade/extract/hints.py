"""Words to look for before a pattern is tried: far cheaper, and most texts hold none of them."""

from __future__ import annotations

from collections.abc import Iterable

_ODD_LETTERS = "ıİſ"
"""Letters that a pattern without regard to case takes for an i or an s, and that do not become one in lower case."""


def holds_any(text: str, hints: Iterable[str]) -> bool:
    for hint in hints:  # noqa: SIM110 - half the time of a generator, and it is asked for every text of every row
        if hint in text:
            return True
    return False


def may_hold(text: str, hints: Iterable[str]) -> bool:
    """False only where a pattern that needs one of these words, in any case, cannot match. Hints are in lower case."""
    return holds_any(text.lower(), hints) or has_odd_letters(text)


def has_odd_letters(text: str) -> bool:
    return not text.isascii() and holds_any(text, _ODD_LETTERS)
