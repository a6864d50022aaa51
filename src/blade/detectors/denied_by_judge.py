"""A judge that reads and reasons gives nothing for an answer that equals the expected one.

It may have had other grounds than the answer, or have erred: its words are to be read before either is believed.

False alarms: tasks in which the answer alone is not what is judged (a proof, a manner of answering, a source).
"""

from __future__ import annotations

from blade.extract.attempt import Attempt
from blade.extract.given_answer import equal_answer
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired

ID = ""
FAMILY = "verifier"
TITLE = "expected answer that a judge denies"
KIND = "unknown"
EXPLAINS = 71
SUPPORTS = {"TI": 0.8}
RELIABILITY = 0.6
READS = ("task", "verifier")
NEEDS = "key"


def detect(attempt: Attempt) -> Sighting:
    if not attempt.zero or not attempt.judge:
        return NOT_APPLICABLE
    equal = equal_answer(attempt)
    if (equal is None or not equal[2]) and attempt.right is not None and attempt.key is not None:
        reading = attempt.right.reading
        return fired(
            attempt.cite_final(reading.start, reading.end),
            *attempt.cite_key(),
            detail=f"the final message answers '{reading.text[:60]}', which equals the expected "
            f"'{attempt.key.accepted[0][:60]}', and the judge ({attempt.judge}) denies it",
            value="in the final message",
        )
    if equal is None:
        return NOT_APPLICABLE
    field, text, kind = equal
    if not kind or attempt.key is None:
        return CLEAN
    return fired(
        attempt.cite_field(field),
        *attempt.cite_key(),
        detail=f"extracted '{text[:60]}', which equals the expected '{attempt.key.accepted[0][:60]}', and the judge "
        f"({attempt.judge}) denies it",
        value="same text" if kind == "text" else "same after normalisation",
    )
