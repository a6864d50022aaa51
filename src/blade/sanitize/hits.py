"""What was found in a text: which characters, by which rule; and how hits of several looks become one list."""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from blade.sanitize.layers import Layer, quoted
from blade.sanitize.rules import Rule


@dataclass(frozen=True, slots=True)
class Hit:
    """Characters to take out: `value` is what they say, `put` what a private field becomes (tokens come later)."""

    start: int
    end: int
    rule: Rule
    label: str
    value: str
    put: str = ""
    clipped: bool = False


def matched(rule: Rule, match: re.Match[str], text: str) -> Iterator[Hit]:
    """The groups of a match that a rule believes in."""
    groups = range(1, match.re.groups + 1) if match.re.groups else range(1)
    for group in groups:
        start, end = match.span(group)
        if end > start and rule.believes(value := text[start:end]):
            clipped = text.startswith(("…", "..."), end)
            yield Hit(start, end, rule, rule.token(group), value, clipped=clipped)


def outward(hits: Iterable[Hit], layer: Layer, base: int) -> Iterator[Hit]:
    """Hits in a decoded text as hits in the original; what a field becomes is quoted once more."""
    for hit in hits:
        start, end = base + layer.original(hit.start), base + layer.original(hit.end)
        yield replace(hit, start=start, end=end, put=quoted(hit.put))


def moved(hits: Iterable[Hit], by: int) -> Iterator[Hit]:
    """Hits in a part as hits in the whole."""
    for hit in hits:
        yield replace(hit, start=hit.start + by, end=hit.end + by)


def resolved(found: Iterable[Hit]) -> list[Hit]:
    """In order of place. Where hits overlap, the one that was found first stays."""
    taken: list[tuple[int, int]] = []
    kept: list[Hit] = []
    for hit in found:
        at = bisect_left(taken, (hit.start, hit.end))
        before = at > 0 and taken[at - 1][1] > hit.start
        if hit.start >= hit.end or before or (at < len(taken) and taken[at][0] < hit.end):
            continue
        insort(taken, (hit.start, hit.end))
        kept.append(hit)
    return sorted(kept, key=lambda hit: hit.start)
