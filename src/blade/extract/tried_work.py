"""Whether a rollout tries the very text that it hands in before it does so."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.calls import Call

SHORTEST = 20


def tried_text(attempt: Attempt) -> dict[str, Any]:
    """`tried_text`: whether another tool took the text of the last call before and did not refuse it.

    Nothing where the last call hands in no text, or where no other tool takes any.
    """
    tried = _text_tried(attempt)
    return {} if tried is None else {"tried_text": tried}


def _text_tried(attempt: Attempt) -> bool | None:
    if not attempt.calls:
        return None
    *earlier, last = attempt.calls
    handed_in = "" if last.failed else max(_texts(last), key=len, default="")
    if not handed_in:
        return None
    trials = [(call, texts) for call in earlier if call.name != last.name and (texts := list(_texts(call)))]
    return any(handed_in in texts and not call.failed for call, texts in trials) if trials else None


def _texts(call: Call) -> Iterator[str]:
    """The longer texts among the arguments of a call, whatever blanks are in them."""
    values = call.arguments.values() if isinstance(call.arguments, dict) else ()
    for value in values:
        if isinstance(value, str) and len(value) >= SHORTEST:
            text = " ".join(value.split()).rstrip("; ")
            if len(text) >= SHORTEST and " " in text:
                yield text
