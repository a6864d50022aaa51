"""Calls that change something and whose reply was lost: made again blindly, made again after a look, or left.

A time limit or a gateway that gives up says nothing of what the server did. Who makes such a change again without a
look may make it twice.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.calls import Call
from blade.late_regex import late_regex

BLINDLY, LOOKED, LEFT = "blindly", "looked", "left"
LONGEST = 300
"""A longer answer is more than the word that nothing came back."""
_LOST = late_regex(
    r"timed?[ -]?out|\b(?:408|502|504)\b|gateway|no (?:answer|response|reply)\b|not received|state (?:of \S+ \S+ )?"
    r"unknown|connection (?:reset|closed|lost|aborted)|deadline exceeded|socket hang ?up",
    re.IGNORECASE,
)


def lost_replies(attempt: Attempt) -> dict[str, Any]:
    """`lost_replies`: of each change whose reply was lost the tool, and what was done then."""
    calls = attempt.calls
    lost = [
        [call.name, _what_followed(call, calls[place + 1 :])]
        for place, call in enumerate(calls)
        if call.changes and call.answer is not None and _is_lost(call.answer.text)
    ]
    return {"lost_replies": lost} if lost else {}


def _is_lost(answer: str) -> bool:
    return len(answer) <= LONGEST and _LOST.search(answer) is not None


def _what_followed(lost: Call, later: Sequence[Call]) -> str:
    """Whether the call came again, and whether anything was looked up before it."""
    looked = False
    for call in later:
        if call.key == lost.key:
            return LOOKED if looked else BLINDLY
        looked = looked or not call.changes
    return LEFT if not looked else LOOKED
