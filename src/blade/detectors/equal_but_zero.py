"""A zero for an answer that equals the expected one, up to case, white space, LaTeX wrappers, number format or a unit.

Not where the prompt asks for an exact writing (rounding, case, "verbatim"): there the writing is the task. Not where a
judge that reads and reasons gave the zero: it may have had other grounds (`denied_by_judge`).

False alarms: keys that are compared by something finer than their text (order of a list, spelling of a name in code).
"""

from __future__ import annotations

from blade.extract.answer_kind import is_record
from blade.extract.attempt import Attempt
from blade.extract.given_answer import equal_answer
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired

ID = "V01"
FAMILY = "verifier"
TITLE = "zero score for the expected answer"
KIND = "verifier"
EXPLAINS = 72
SUPPORTS = {"TI": 3.0}
RELIABILITY = 1.0
READS = ("task", "verifier")
NEEDS = "key"
RECOVERS = True


def detect(attempt: Attempt) -> Sighting:
    if not attempt.zero or attempt.judge:
        return NOT_APPLICABLE
    equal = equal_answer(attempt)
    if equal is None:
        return NOT_APPLICABLE
    field, text, kind = equal
    if is_record(text):
        return NOT_APPLICABLE
    if not kind or attempt.key is None:
        return CLEAN
    return fired(
        attempt.cite_field(field),
        *attempt.cite_key(),
        detail=f"extracted '{text[:60]}', which equals the expected '{attempt.key.accepted[0][:60]}', and scored zero",
        value="same text" if kind == "text" else "same after normalisation",
    )
