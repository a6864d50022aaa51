"""What was found in a text: which characters, by which rule; and how hits of several looks become one list."""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator
from dataclasses import replace

from blade.frozen import frozen
from blade.sanitize.layers import Layer, quoted
from blade.sanitize.rules import PrivacyRule


@frozen
class PrivateText:
    """Characters to take out: `value` is what they say, `put` what a private field becomes (tokens come later)."""

    start: int
    end: int
    rule: PrivacyRule
    label: str
    value: str
    put: str = ""
    clipped: bool = False


def matched(rule: PrivacyRule, match: re.Match[str], text: str) -> Iterator[PrivateText]:
    """The groups of a match that a rule believes in."""
    groups = range(1, match.re.groups + 1) if match.re.groups else range(1)
    for group in groups:
        start, end = match.span(group)
        if end > start and rule.believes(value := text[start:end]):
            clipped = text.startswith(("…", "..."), end)
            yield PrivateText(start, end, rule, rule.token(group), value, clipped=clipped)


def outward(hits: Iterable[PrivateText], layer: Layer, base: int) -> Iterator[PrivateText]:
    """Hits in a decoded text as hits in the original; what a field becomes is quoted once more."""
    for hit in hits:
        start, end = base + layer.original(hit.start), base + layer.original(hit.end)
        yield replace(hit, start=start, end=end, put=quoted(hit.put))


def moved(hits: Iterable[PrivateText], by: int) -> Iterator[PrivateText]:
    """Hits in a part as hits in the whole."""
    for hit in hits:
        yield replace(hit, start=hit.start + by, end=hit.end + by)


def resolved(hits: Iterable[PrivateText]) -> list[PrivateText]:
    """In order of place. Where hits overlap, the one that was found first stays."""
    spans: list[tuple[int, int]] = []
    result: list[PrivateText] = []
    for hit in hits:
        at = bisect_left(spans, (hit.start, hit.end))
        before = at > 0 and spans[at - 1][1] > hit.start
        if hit.start >= hit.end or before or (at < len(spans) and spans[at][0] < hit.end):
            continue
        insort(spans, (hit.start, hit.end))
        result.append(hit)
    return sorted(result, key=lambda hit: hit.start)
