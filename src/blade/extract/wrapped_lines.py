"""Lines that a terminal pane broke at its width: the words on both sides of the break are one text.

A pane breaks a line wherever its width ends, inside a word as well, so that a phrase may stand in no line of a screen.
"""

from __future__ import annotations

from collections import Counter

NARROWEST = 70
"""No pane is narrower: shorter lines of one length are chance."""
FEWEST = 2
"""So many lines reach the edge of a pane; a single one is only the longest line."""


def joined_lines(text: str) -> str:
    """A text with the lines put together that were broken at its width; the text itself where none was.

    A blank at the edge is not kept by a pane: a line that is shorter by one goes on behind a blank.
    """
    if len(text) < FEWEST * NARROWEST or "\n" not in text:
        return text
    lines = text.split("\n")
    widths = Counter(len(line) for line in lines)
    width = max(widths)
    if width < NARROWEST or widths[width] < FEWEST:
        return text
    ends = {width: "", width - 1: " "}
    return "".join(line + ends.get(len(line), "\n") for line in lines[:-1]) + lines[-1]
