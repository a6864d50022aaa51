"""An answer that was read, and is not the expected one.

Where the row does not say what was expected, an answer counts as wrong if the message states it, the verifier read just
that, and points were lost.

False alarms: keys with other spellings that count as well; answers that earn part of the points.
"""

from __future__ import annotations

from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.same_answer import same
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired

ID = ""
FAMILY = "knowledge"
TITLE = "wrong answer"
KIND = "knowledge"
EXPLAINS = 10
SUPPORTS = {"KG": 0.5, "UK": 0.5}
RELIABILITY = 1.0
READS = ("task", "model", "verifier")

LONGEST = 300


def detect(attempt: Attempt) -> Sighting:
    if not attempt.lost or (attempt.answer is None and attempt.key is None):
        return NOT_APPLICABLE
    name, value = attempt.answer or ("", None)
    answer = _answer_text(value)
    if attempt.key is None:
        return _as_scored(attempt, name, answer) if not attempt.gold else NOT_APPLICABLE
    if answer:
        if attempt.key.is_met(answer, attempt.options) or attempt.right is not None:
            return CLEAN
        return fired(
            attempt.cite_field(name),
            *attempt.cite_key(),
            detail=f"answers '{answer[:60]}'; '{attempt.key.accepted[0][:60]}' was expected",
        )
    statements = attempt.stated
    if value not in (None, "", []) or attempt.right or not statements or statements[-1].wrapper in {"line", "mark"}:
        return CLEAN
    if any(
        attempt.key.is_met(statement.text, attempt.options) or not same(statement.text, statements[-1].text)
        for statement in statements
    ):
        return CLEAN
    return fired(
        attempt.cite_final(statements[-1].start, statements[-1].end),
        *attempt.cite_key(),
        detail=f"answers '{statements[-1].text[:60]}'; '{attempt.key.accepted[0][:60]}' was expected",
    )


def _as_scored(attempt: Attempt, name: str, answer: str) -> Sighting:
    """No key in the row: the verifier read what the message states, and took points off."""
    statements = [reading for reading in attempt.stated if reading.wrapper not in {"line", "mark"}]
    if not answer or not statements:
        return NOT_APPLICABLE
    if not same(answer, statements[-1].text):
        return CLEAN
    last = statements[-1]
    return fired(
        attempt.cite_field(name),
        attempt.cite_final(last.start, last.end),
        detail=f"answers '{answer[:60]}', which was read so and scored {attempt.reward:g}",
    )


def _answer_text(value: Any) -> str:
    """A short answer as text; empty for nothing, for a flag, and for what is too long to be one answer."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return ""
    text = str(value).strip()
    return text if len(text) <= LONGEST else ""
