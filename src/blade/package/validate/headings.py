"""Finds the headings of a text that stand for wanted sections, whatever words they use."""

from __future__ import annotations

import re
from collections.abc import Mapping

from blade.package.texts import Part, words_of

Words = Mapping[str, tuple[str, ...]]
"""Section → words of a heading that stand for it, the surest first. Sections with rarer words choose first."""


def place_sections(found: list[Part], wanted: Words, deepest: int) -> dict[str, int | None]:
    """Section → the place of its heading, not below the deepest level, or None. A heading stands for one section."""
    taken: set[int] = set()
    placed: dict[str, int | None] = {}
    for section, patterns in wanted.items():
        place = _find(found, patterns, taken, deepest)
        placed[section] = place
        taken |= {place} if place is not None else set()
    return placed


def lines_below(found: list[Part], place: int, others: set[int]) -> list[str]:
    """The lines below a heading and below deeper ones, as far as those are no section of their own."""
    level = found[place].level
    lines = list(found[place].lines)
    for at in range(place + 1, len(found)):
        if found[at].level <= level or at in others:
            break
        lines.extend(found[at].lines)
    return lines


def _find(found: list[Part], patterns: tuple[str, ...], taken: set[int], deepest: int) -> int | None:
    """The first heading of the highest level that has the words."""
    for pattern in patterns:
        fits = [
            (part.level, place)
            for place, part in enumerate(found)
            if 0 < part.level <= deepest and place not in taken and re.search(pattern, words_of(part.title))
        ]
        if fits:
            return min(fits)[1]
    return None
