"""Where the model says that it cannot do what a tool would do: it has no way to search, to look up, to compare.

A refusal under a condition ("I cannot look it up without your name") asks for something and denies nothing.
"""

from __future__ import annotations

import re
from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.cues import prose
from blade.extract.text import clip

LONGEST = 160
_LOOK = r"(?:search|look|browse|compare|check|access|view|see|list|filter|retrieve|read|open|query|fetch|find)\b"
_DENIES = re.compile(
    r"\bI (?:currently |also |still |really )?(?:do not|don['’]t|lack) (?:currently |actually )?(?:have )?"
    r"(?:the |any |a |an |direct )?(?:ability|abilities|capability|capabilities|way|means|tools?|functions?|"
    rf"functionality|feature) (?:to|for|that)\b(?: directly)? ?{_LOOK}[^.!?\n]*"
    rf"|\bI(?:['’]m| am) (?:currently |also )?(?:unable|not able) to (?:directly )?{_LOOK}[^.!?\n]*"
    rf"|\bI (?:cannot|can['’]t|can not) (?:currently |directly |also )?{_LOOK}[^.!?\n]*",
    re.IGNORECASE,
)
_HINTS = ("cannot", "can't", "can’t", "can not", "unable", "not able", "have", "lack")
_CONDITION = re.compile(r"\b(?:without|unless|until|because|since|only if|with (?:that|this|the))\b", re.IGNORECASE)


def denial(attempt: Attempt) -> dict[str, Any]:
    """`denies`: the item and the words of the first denial; nothing where there is none or no tool is at hand."""
    if not attempt.calls and not attempt.tools:
        return {}
    for step in attempt.messages:
        if not attempt.holds(step, _HINTS):
            continue
        words, _ = prose(step.text)
        for found in _DENIES.finditer(words):
            if not _CONDITION.search(found.group()):
                return {"denies": [step.item, clip(" ".join(found.group().split()), LONGEST)]}
    return {}
