"""Which tools told a rollout something without changing anything: what it knows it has from them."""

from __future__ import annotations

from typing import Any

from blade.extract.against_reference import hands_over
from blade.extract.attempt import Attempt
from blade.late_regex import late_regex

MOST_TOOLS = 8
_EMPTY = late_regex(r"\s*(?:[A-Za-z][\w ]{0,30}:)?\s*\Z")


def tells_nothing(answer: str) -> bool:
    """Whether an answer is empty, or no more than a word for the answer itself, such as “Output:”."""
    return _EMPTY.match(answer) is not None


def answered_lookups(attempt: Attempt) -> dict[str, Any]:
    """`answered`: the tools that told something, in the order in which they first did."""
    names = dict.fromkeys(
        call.name
        for call in attempt.calls
        if call.answer is not None
        and not call.failed
        and not call.changes
        and not hands_over(call.name)
        and not tells_nothing(call.answer.text)
    )
    return {"answered": list(names)[:MOST_TOOLS]} if names else {}
