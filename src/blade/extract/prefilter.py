"""Words to look for before a pattern is tried: far cheaper, and most texts hold none of them."""

from __future__ import annotations

from collections.abc import Iterable

_ODD_LETTERS = "ıİſ"
"""Letters that a pattern without regard to case takes for an i or an s, and that do not become one in lower case."""
_BECOME_LATIN = "\u0130\u212a"
"""The only letters beyond ASCII that have one of ASCII in lower case: the I with a dot and the sign of the kelvin."""


def holds_any(text: str, hints: Iterable[str]) -> bool:
    for hint in hints:  # noqa: SIM110 - half the time of a generator, and it is asked for every text of every row
        if hint in text:
            return True
    return False


def lowered(text: str) -> str:
    """A text with every Latin letter in lower case, as `str.lower` has it; other letters may stay as they are.

    Python takes long to put a text with a single dash or quotation mark beyond ASCII into lower case.
    """
    if text.isascii() or holds_any(text, _BECOME_LATIN):
        return text.lower()
    return text.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")


def may_hold(text: str, hints: Iterable[str]) -> bool:
    """False only where a pattern that needs one of these words, in any case, cannot match. Hints are in lower case."""
    return holds_any(lowered(text), hints) or has_odd_letters(text)


def has_odd_letters(text: str) -> bool:
    return not text.isascii() and holds_any(text, _ODD_LETTERS)
