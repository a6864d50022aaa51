"""How an attempt ended that was thrown away and run again: what counts is only the last one."""

from __future__ import annotations

from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.numbers import integer
from blade.extract.text import clip

LONGEST = 80


def earlier_end(attempt: Attempt) -> dict[str, Any]:
    """`earlier_end`: the word for the end that this attempt replaces; empty where a row says only that it does."""
    origin = attempt.row.get("_translated")
    word = origin.get("replaced") if isinstance(origin, dict) else None
    if isinstance(word, str) and word:
        return {"earlier_end": clip(word, LONGEST)}
    return {"earlier_end": ""} if (integer(attempt.row.get("_ng_attempt_index")) or 0) > 0 else {}
