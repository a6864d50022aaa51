"""Finds the headings of a text that stand for wanted sections, whatever words they use."""

from __future__ import annotations

import re
from collections.abc import Mapping

from blade.package.texts import HeadingPart, words_of

Words = Mapping[str, tuple[str, ...]]
"""Section → words of a heading that stand for it, the surest first. Sections with rarer words choose first."""


def place_sections(headings: list[HeadingPart], patterns_by_section: Words, deepest: int) -> dict[str, int | None]:
    """Section → the place of its heading, not below the deepest level, or None. A heading stands for one section."""
    taken_places: set[int] = set()
    placed: dict[str, int | None] = {}
    for section, patterns in patterns_by_section.items():
        place = _find(headings, patterns, taken_places, deepest)
        placed[section] = place
        taken_places |= {place} if place is not None else set()
    return placed


def lines_below(headings: list[HeadingPart], place: int, other_places: set[int]) -> list[str]:
    """The lines below a heading and below deeper ones, as far as those are no section of their own."""
    level = headings[place].level
    lines = list(headings[place].lines)
    for at in range(place + 1, len(headings)):
        if headings[at].level <= level or at in other_places:
            break
        lines.extend(headings[at].lines)
    return lines


def _find(headings: list[HeadingPart], patterns: tuple[str, ...], taken_places: set[int], deepest: int) -> int | None:
    """The first heading of the highest level that has the words."""
    for pattern in patterns:
        fits = [
            (part.level, place)
            for place, part in enumerate(headings)
            if 0 < part.level <= deepest and place not in taken_places and re.search(pattern, words_of(part.title))
        ]
        if fits:
            return min(fits)[1]
    return None
