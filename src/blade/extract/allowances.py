"""What a prompt itself allows: any of several answers, any order, a numeric tolerance, a dialogue with the judge.

A verifier that compares with one key fails right answers of such tasks. What counts is the grader's leniency towards
the answer: a choice inside the problem ("choose any two cards") and an error that is measured ("mean absolute error")
allow nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from itertools import islice

from blade.extract.prefilter import lowered
from blade.extract.text import clean, squeeze
from blade.late_regex import late_regex

ANY_ANSWER, ANY_ORDER, TOLERANCE, DIALOGUE = KINDS = ("any", "order", "tolerance", "dialogue")
LONGEST = 40_000
MOST_CUES = 12
BEFORE, AFTER = 200, 160
"""How far around a cue the words stand that make an allowance of it."""
SHORT = 100
_SAME = r"(?:[^.!?\n]|\n(?!\s*\n))"
"""A character of the same sentence; lines may be wrapped."""
_THEM = r"of\s+(?:them|these|those)"
_FITTING = r"(?:such|valid|correct|possible|acceptable|suitable|optimal)"
_ACCEPTED = (
    r"(?:also\s+)?(?:accepted|acceptable|(?:considered|judged|regarded)\s+(?:as\s+|to\s+be\s+)?correct|fine|ok|okay)"
)
_IS = r"(?:is|are|will\s+be|would\s+be|can\s+be|may\s+be)"
_GIVES = r"(?:print|output|return|report|give|find|show|choose|pick|use|submit|provide|construct)"
_SMALL = r"[\s$\\({]*(?:10\s*(?:\^|\*\*)?[\s{(\\]*[-−–]|1(?:\.0+)?\s*e\s*[-−]|0?\.0\d|\d+(?:\.\d+)?\s*\\?%)"
"""How a small number begins: 10^{-6}, 1e-6, 0.001, 1%."""
_SEVERAL = r"(?:multiple|several|many|more\s+than\s+one|two\s+or\s+more)"
_IF_SEVERAL = rf"\b(?:if|when|where|in\s+case)\b{_SAME}{{0,40}}?\b{_SEVERAL}\b{_SAME}{{0,140}}?"
_NOUNS = r"(?:answer|solution|output|result|one|choice|way)s?"
_MEASURED = r"(?<!mean\s)(?<!median\s)(?<!average\s)\b(?:absolute|relative)\s+error\b"
_LIMIT = r"\b(?:at\s+most|exceeds?|(?:less|more|greater|larger)\s+than|within|below|up\s+to|of)"
_TRUE = r"of\s+(?:the\s+|an?\s+)?(?:actual|correct|true|expected|exact|jury|judge)"
_RULES = {
    ANY_ANSWER: (
        rf"{_IF_SEVERAL}(?:\b{_GIVES}\s+any\b(?:\s+(?:one\s+)?{_THEM})?|\bany\s+(?:one\s+)?{_THEM})",
        rf"\b(?:print|output)\s+any\s+(?:one\s+)?(?:{_THEM}|{_FITTING})\b",
        rf"\b(?:return|report|submit)\s+any\s+(?:one\s+)?{_FITTING}\s+{_NOUNS}\b",
        rf"\bany\s+(?:one\s+)?(?:{_THEM}|(?:{_FITTING}\s+|other\s+)*{_NOUNS}){_SAME}{{0,60}}?\b{_IS}\s+{_ACCEPTED}\b",
        rf"\beither\s+(?:{_NOUNS}\s+)?{_IS}\s+{_ACCEPTED}\b",
    ),
    ANY_ORDER: (
        rf"\b(?:print|output|return|report|answer|list|write)(?:s|ing|ed)?\b{_SAME}{{0,120}}?\bin\s+any\s+order\b",
        rf"\bany\s+order\s+{_IS}\s+{_ACCEPTED}\b",
    ),
    TOLERANCE: (
        r"\b(?:absolute|relative)\s+(?:or|and|and/or)\s+(?:absolute|relative)\s+(?:error|tolerance)",
        rf"{_MEASURED}{_SAME}{{0,80}}?{_LIMIT}{_SMALL}",
        rf"\bwithin{_SMALL}\S{{0,20}}\s+(?:absolute\s+|relative\s+)?(?:error\s+)?{_TRUE}",
        rf"\b(?:accept|considered\s+correct|judged|graded|compared|checked)\w*\b{_SAME}{{0,60}}?\btolerance",
    ),
    DIALOGUE: (
        r"\binteractive\s+(?:problem|task)\b",
        r"\binteracts?\s+with\s+the\s+(?:judge|grader|interactor)\b",
        r"\bflush(?:ing)?\s+(?:the\s+|your\s+)?(?:standard\s+)?(?:output|stdout)\b",
    ),
}
_PATTERNS = {kind: late_regex("|".join(patterns), re.IGNORECASE) for kind, patterns in _RULES.items()}
_FOLLOWS = r"order|of|one|output|optimal|such|valid|correct|possible|acceptable|suitable|answer|solution"
_CUES = (
    ("any", late_regex(rf"any(?=\s+(?:{_FOLLOWS})\b|[.,;])"), (ANY_ANSWER, ANY_ORDER)),
    ("either", late_regex(rf"either\s+(?:{_NOUNS}|{_IS})\b"), (ANY_ANSWER,)),
    ("absolute", late_regex(r"absolute\s+(?:error|toler|or|and)"), (TOLERANCE,)),
    ("relative", late_regex(r"relative\s+(?:error|toler|or|and)"), (TOLERANCE,)),
    ("within", late_regex(r"within[\s$\\({]*[\d.]"), (TOLERANCE,)),
    ("tolerance", late_regex(r"tolerance"), (TOLERANCE,)),
    ("interact", late_regex(r"interact(?:ive\s|s?\s+with\s)"), (DIALOGUE,)),
    ("flush", late_regex(r"flush(?:ing)?\s"), (DIALOGUE,)),
)
"""What is sought in lower case: a word that is quick to find, what must stand there, and what it may belong to."""
_DENIED = late_regex(r"\b(?:not|never|without|cannot|avoid)\s+$|n['’]t\s+$", re.IGNORECASE)


@lru_cache(maxsize=256)
def allowances(prompt: str) -> Mapping[str, str]:
    """What a prompt allows, each with the words that say so; the attempts at a task have the same prompt."""
    text = prompt[:LONGEST]
    low = lowered(text)
    allowed: dict[str, str] = {}
    for word, cue, kinds in _CUES:
        if word not in low:
            continue
        for match in islice(cue.finditer(low), MOST_CUES):
            window = text[max(0, match.start() - BEFORE) : match.end() + AFTER]
            for kind in kinds:
                if kind not in allowed and (words := _allowing(kind, window)):
                    allowed[kind] = words
    return allowed


def _allowing(kind: str, window: str) -> str:
    """The words around a cue that allow something; none where they are denied."""
    match = _PATTERNS[kind].search(window)
    if match is None or _DENIED.search(window[: match.start()][-12:]):
        return ""
    words = clean(squeeze(match.group()))
    return words if len(words) <= SHORT else "…" + words[1 - SHORT :]
