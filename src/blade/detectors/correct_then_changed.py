"""The expected answer in the reasoning or a draft, and another in the end.

False alarms: drafts that weigh several answers; only a plain statement ("the answer is", a box) counts as one.
"""

from __future__ import annotations

from dataclasses import replace

from blade.extract.answer_candidates import AnswerCandidate, explicit
from blade.extract.attempt import Attempt
from blade.extract.text import THINK_CLOSE
from blade.findings import CLEAN, NOT_APPLICABLE, Cite, Sighting, fired
from blade.model import Step

ID = "K10"
FAMILY = "knowledge"
TITLE = "right answer changed to a wrong one"
KIND = "knowledge"
EXPLAINS = 42
SUPPORTS = {"UK": 1.6, "BI": 0.6}
RELIABILITY = 0.8
READS = ("task", "model", "verifier")
NEEDS = "key"

READ = 20_000


def detect(attempt: Attempt) -> Sighting:
    if attempt.key is None or attempt.final is None:
        return NOT_APPLICABLE
    ended = _ended(attempt)
    if ended is None:
        return NOT_APPLICABLE
    text, cite = ended
    if attempt.key.is_met(text, attempt.options):
        return CLEAN
    draft = _draft(attempt)
    if draft is None:
        return CLEAN
    step, reading = draft
    return fired(
        attempt.cite(step, reading.start, reading.end),
        cite,
        *attempt.cite_key(),
        detail=f"had '{reading.text[:60]}', which is right, and ended on '{text[:60]}'",
    )


def _ended(attempt: Attempt) -> tuple[str, Cite] | None:
    """What the final message states, or else what the verifier read in it."""
    statements = [reading for reading in attempt.stated if reading.wrapper not in {"line", "mark"}]
    if statements:
        last = statements[-1]
        key_met = attempt.key is not None and any(
            attempt.key.is_met(statement.text, attempt.options) for statement in statements
        )
        return None if key_met and last.doubtful else (last.text, attempt.cite_final(last.start, last.end))
    if attempt.answer is not None and isinstance(attempt.answer[1], str) and 0 < len(attempt.answer[1]) <= 300:
        return attempt.answer[1], attempt.cite_field(attempt.answer[0])
    return None


def _draft(attempt: Attempt) -> tuple[Step, AnswerCandidate] | None:
    """The last plain statement of the expected answer before the final message, or inside its thinking."""
    for _, step in reversed(attempt.spoken):
        if step is attempt.final:
            closed = step.text.rfind(THINK_CLOSE)
            text, low = step.text[:closed] if closed >= 0 else "", ""
        else:
            text, low = step.text, attempt.low(step)[-READ:]
        start = max(0, len(text) - READ)
        for reading in explicit(text[start:], low):
            if attempt.key is not None and not reading.doubtful and attempt.key.is_met(reading.text, attempt.options):
                return step, replace(reading, start=reading.start + start, end=reading.end + start)
    return None
