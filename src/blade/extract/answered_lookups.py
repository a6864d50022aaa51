"""Which tools told a rollout something without changing anything: what it knows it has from them."""

from __future__ import annotations

import re
from typing import Any

from blade.extract.against_reference import hands_over
from blade.extract.attempt import Attempt
from blade.extract.records import says_no_output
from blade.late_regex import late_regex

MOST_TOOLS = 8
_EMPTY = late_regex(r"\s*(?:[A-Za-z][\w ]{0,30}:)?\s*\Z")
_NOTHING = late_regex(
    r"\W*(?:(?:there (?:is|are|was|were) )?(?:no|0|zero) (?:such )?"
    r"(?:entr(?:y|ies)|results?|match(?:es)?|records?|rows?|hits?|items?|data|documents?|pages?)\b|"
    r"nothing (?:was )?(?:found|matches|here)|none found|not found)[^\n]{0,80}\Z",
    re.IGNORECASE,
)
"""A short answer that says that nothing is there."""
LONGEST_DENIAL = 120


def tells_nothing(answer: str) -> bool:
    """Whether an answer is empty, or no more than words for that or for the answer itself, such as “Output:”."""
    return _EMPTY.match(answer) is not None or says_no_output(answer)


def answered_lookups(attempt: Attempt) -> dict[str, Any]:
    """`answered`: the tools that told something, in the order in which they first did; `nothing`: see below.

    Those of them that only ever said that nothing is there are named once more.
    """
    texts: dict[str, list[str]] = {}
    for call in attempt.calls:
        if (
            call.answer is not None
            and not call.failed
            and not call.changes
            and not hands_over(call.name)
            and not tells_nothing(call.answer.text)
        ):
            texts.setdefault(call.name, []).append(call.answer.text)
    names = list(texts)[:MOST_TOOLS]
    nothing = [name for name in names if all(map(_says_nothing_is_there, texts[name]))]
    return ({"answered": names} if names else {}) | ({"nothing": nothing} if nothing else {})


def _says_nothing_is_there(answer: str) -> bool:
    return len(answer) <= LONGEST_DENIAL and _NOTHING.match(answer.strip()) is not None
