"""Which numbers of a text claim something: those of headers, of lists, of headings and inside names do not."""

from __future__ import annotations

import re

from blade.checking.tokens import Token

_LABEL = re.compile(
    r"(?:^|[\s(\[*_])(?:appendix|attempts?|chapter|day|fig(?:ure)?|issue|item|line|no|note|nr|number|page|part|phase|"
    r"question|release|round|row|section|stage|step|table|team|version|week|#|§)[.:]?[ \u00a0]?#?$",
    re.IGNORECASE,
)
"""A word that numbers things: what stands behind it is a place in a list."""
_LEVEL = re.compile(r"[\s-]*(?:CIs?\b|confidence\b|(?:\w+ )?intervals?\b)", re.IGNORECASE)
"""A percentage before such a word is the level of an interval."""
_LIKENESS = re.compile(r"\s+(?:similar(?:ity)?|identical|alike|overlap)\b", re.IGNORECASE)
"""A percentage before such a word is of two texts or pictures, and no rate."""
_NAME = re.compile(r"(?P<before>^|.*\W)(?P<word>[^\W\d_][\w'’+.-]*)[ \u00a0]$", re.DOTALL)
_COUNTED = re.compile(
    r"\s*(?:[^\W\d_]+\s+)?(?:attempts|calls|errors|failures|files|passes|rollouts|rows|runs|seconds|steps|tasks|times|"
    r"tokens|tries|turns|values|words)\b",
    re.IGNORECASE,
)
_OPENERS = frozenset(
    "about after all almost also altogether although among and another any around as at because before both but by "
    "each even every exactly fewer for from here if in it its just less more most nearly no now of on only or other "
    "our over overall roughly since so some still that the their then there these they this those though through "
    "together under we when where whereas while with without yet".split()
)
"""Words that begin a sentence and are part of no name."""
_NUMBERED = frozenset({"", "#", "attempt", "id", "line", "no", "no.", "nr", "place", "rank", "row", "step"})
_LIST_END = re.compile(r"[.):](?:\s|$)")


def is_claim(kind: str, text: str, token: Token, title: str | None = None) -> bool:
    """Whether a number in a piece of a report says something about the runs.

    `title` is that of the first column, where the number stands there.
    """
    number = token.number
    if number is None or kind == "header":
        return False
    if number.unit == "percent" and (_LEVEL.match(text, token.end) or _LIKENESS.match(text, token.end)):
        return False
    if number.unit != "plain" or number.sign or number.bound:
        return True
    if title is not None and title.strip("`* ").lower() in _NUMBERED:
        return False
    before = text[: token.start]
    opens = not before.strip("(#*_ ")
    if opens and (kind == "heading" or _LIST_END.match(text, token.end)):
        return False
    return bool(_COUNTED.match(text, token.end)) or not (_LABEL.search(before) or _in_a_name(before))


def _in_a_name(before: str) -> bool:
    """Behind a word with a capital: "Llama 3". The first word of a sentence has one anyway."""
    match = _NAME.match(before)
    if match is None or not match["word"][0].isupper():
        return False
    return bool(match["before"].strip("(*_ ")) or match["word"].lower() not in _OPENERS
