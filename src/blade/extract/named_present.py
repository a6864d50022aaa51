"""The year in which the model thinks that it works: what it calls today, now or the current year."""

from __future__ import annotations

import re
from itertools import islice
from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.phrases import MODEL, THOUGHTS, steps_of
from blade.extract.prefilter import may_hold
from blade.late_regex import late_regex

MOST_STEPS, MOST_YEARS = 60, 40
BEFORE, BEHIND = 80, 8
"""Letters around a year in which all words stand that may call it the present."""
_HINTS = ("now", "today", "present", "current")
_YEAR = r"(?P<{name}>20\d\d)\b(?! ?[-–/%])"
_ANY_YEAR = late_regex(r"20\d\d\b")
_PRESENT = late_regex(
    r"\bit(?: is|['’]s) " + _YEAR.format(name="first") + r" now\b|"
    r"\b(?:it(?: is|['’]s) now|(?:we are|we['’]re|i am|i['’]m) (?:now |currently )?in|current (?:year|date)(?: is|:)?|"
    r"today(?:['’]s date)?(?: is|:|,)(?: \w+,?){0,3}?|(?:the )?present(?: year| date| day)?(?: as| is|:| to be)"
    r"(?: \w+,?){0,3}?) " + _YEAR.format(name="second"),
    re.IGNORECASE,
)


def named_present(attempt: Attempt) -> dict[str, Any]:
    """`present`: the year that the model first calls the present, the item, its words, and whether a prompt has it."""
    steps = sorted((*steps_of(attempt, THOUGHTS), *steps_of(attempt, MODEL)), key=lambda step: step.item)
    for step in steps[:MOST_STEPS]:
        match = _match(step.text) if "20" in step.text and may_hold(step.text, _HINTS) else None
        if match:
            year = match["first"] or match["second"]
            is_told = any(year in prompt.text for prompt in attempt.prompt)
            return {"present": [int(year), step.item, " ".join(match[0].split()), int(is_told)]}
    return {}


def _match(text: str) -> re.Match[str] | None:
    """The first words that call a year the present; only what stands around a year is searched."""
    years = islice(_ANY_YEAR.finditer(text), MOST_YEARS)
    around = (_PRESENT.search(text, max(year.start() - BEFORE, 0), year.end() + BEHIND) for year in years)
    return next(filter(None, around), None)
