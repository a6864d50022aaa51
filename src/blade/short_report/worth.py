"""What a piece of a report is worth to who reads it once: what it counts, how sure it is, how much it covers."""

from __future__ import annotations

import math
import re
from functools import lru_cache

from blade.frozen import frozen

_COUNT = re.compile(r"(?<![\w.\-])(\d[\d,]{0,40})(?: of (?:its |the |all )?(\d[\d,]{0,40}))?(?![\w]|[.,:]\d)")
_POINTS = re.compile(r"[−+](\d{1,40}(?:\.\d{1,40})?) pp")
_TOKEN = re.compile(r"“[^”]{3,4000}”|[−+]?\d[\d,]*(?:\.\d+)?%?|\w{1,400}[-_./:][\w\-./:]+")
_BRACKETS = re.compile(r"\((?![−+][\d.]{1,40} pp\))[^()]*\)|(?<!\) )\([−+][\d.]{1,40} pp\)")
"""What stands in brackets, but for the points of a part of a change that says which mode of behaviour it is."""
_QUOTED = re.compile(r"“[^”]{0,4000}”")
_MASKED = re.compile(r"“[^”]{0,4000}”|\([^)]{0,4000}\)|\S{0,400}\d\S*|\S{0,400}[-_./:]\w\S*")
"""Bounded, so that words, quotes and numbers without end, in notes of others, are read in linear time."""

_UNSURE = re.compile(
    r"\b(?:chance alone|may be chance|may do that|not shown|not significant|may be unfinished|cannot be told|"
    r"as far as the rows show|not tested)\b",
    re.IGNORECASE,
)
_UNSURE_WORDS = (
    *("chance alone", "may be chance", "may do that", "not shown", "not significant", "may be unfinished"),
    *("cannot be told", "as far as the rows show", "not tested"),
)
"""A cause that is not shown weighs half. That two runs are not shown to differ is an answer, and weighs as any."""
_SURE = re.compile(
    r"\b(?:beyond chance|more than chance|real difference|none (?:of them |of which )?pass|"
    r"never (?:ran|started|judged|passed)|not measure|identified|not the work's|no run passes|"
    r"no run passes|in all \d+|fails? in (?:all|every)|goes with failing|"
    r"more common in|fail more often|churn|is refused|was rejected)\b",
    re.IGNORECASE,
)
_SURE_WORDS = (
    *(
        "beyond chance",
        "more than chance",
        "real difference",
        "significant causes",
        "none ",
        "never ",
        "not measure",
        "identified",
    ),
    *("not the work's", "no run passes", "in all ", "fail in ", "fails in ", "goes with failing", "more common in"),
    *("fail more often", "churn", "is refused", "was rejected"),
)
"""Of either pattern what each of its ways holds: looked for first, in texts whose letters have but two cases."""
_ASKED_OTHERWISE = re.compile(r"[Pp]rompt: \d+ lines? stands? only in ")
"""Runs that were asked in other words: that covers all of their rollouts, though it counts lines."""
_LEFT_OVER = re.compile(r"(?:Left out here: )?\d[\d,]* (?:more|further|smaller) |Left out here|Tables are shown for ")
"""What only counts what the whole report leaves out; the short one counts that itself."""
LARGE = 400
"""A count that covers as much as any: beyond it no count weighs more."""
MOST_TOKENS = 8
WITHOUT_NUMBER = 0.4


@frozen
class Substance:
    """What a text states: its numbers, names and quotes, its shape with these masked, and its worth."""

    tokens: frozenset[str]
    shape: str
    worth: float


@lru_cache(maxsize=4096)
def substance_of(text: str, runs: tuple[str, ...] = ()) -> Substance:
    """What a text tells beside the names of runs, which stand in every other sentence.

    A report that is too long is shortened again, of the same texts.
    """
    for run in runs:
        text = text.replace(run, "RUN")
    tokens = frozenset(token.strip(".,:") for token in _TOKEN.findall(text))
    return Substance(tokens, _MASKED.sub("#", text)[:160], worth(text))


def worth(text: str) -> float:
    """How much a statement tells: without a number it is method; what may be chance is half, what covers much more."""
    if _LEFT_OVER.match(text):
        return 0.0
    plain = _BRACKETS.sub("", text)
    numbers = list(_COUNT.finditer(_QUOTED.sub("", plain)))
    tokens = set(_TOKEN.findall(plain))
    quotes = sum(token.startswith("“") for token in tokens)
    moved = max((float(points) for points in _POINTS.findall(plain)), default=0.0)
    detail = math.log2(1 + min(len(tokens) + quotes, MOST_TOKENS)) * (1.0 if numbers else WITHOUT_NUMBER)
    covered = max((int(match[1].replace(",", "")) for match in numbers), default=0)
    covered = LARGE if _ASKED_OTHERWISE.search(text) else covered
    coverage = math.sqrt(min(covered, LARGE) / LARGE)
    return _sureness(text) * (0.2 + detail) * (0.5 + coverage + min(moved, 30.0) / 30.0)


def _sureness(text: str) -> float:
    lower = text.lower() if text.isascii() else None
    if (lower is None or any(words in lower for words in _UNSURE_WORDS)) and _UNSURE.search(text):
        return 0.45
    return 1.4 if (lower is None or any(words in lower for words in _SURE_WORDS)) and _SURE.search(text) else 1.0
