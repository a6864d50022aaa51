"""A zero for an answer that equals the expected one, up to case, white space, LaTeX wrappers, number format or a unit.

Not where the prompt asks for an exact writing (rounding, case, "verbatim"): there the writing is the task.

False alarms: keys that are compared by something finer than their text (order of a list, spelling of a name in code).
"""

from __future__ import annotations

from blade.extract.attempt import Attempt
from blade.extract.given_answer import key_met
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired

ID = "V01"
FAMILY = "verifier"
TITLE = "zero score for the expected answer"
KIND = "verifier"
EXPLAINS = 72
RECOVERS = True
SUPPORTS = {"TI": 3.0}
RELIABILITY = 1.0
READS = ("task", "verifier")
NEEDS = "key"
RECOVERS = True


def detect(attempt: Attempt) -> Sighting:
    if not attempt.zero or attempt.key is None or attempt.answer is None:
        return NOT_APPLICABLE
    name, value = attempt.answer
    if not isinstance(value, (str, int, float)) or isinstance(value, bool) or not str(value).strip():
        return NOT_APPLICABLE
    match_kind = key_met(attempt, value)
    if not match_kind:
        return CLEAN
    expected = attempt.key.accepted[0][:60]
    return fired(
        attempt.cite_field(name),
        *attempt.cite_key(),
        detail=f"extracted '{str(value)[:60]}', which equals the expected '{expected}', and scored zero",
        value="same text" if match_kind == "text" else "same after normalisation",
    )
