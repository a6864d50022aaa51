"""The right answer in another format than the prompt asked for: without the box or tag, in other letter case, in words.

Fires only where a relaxed reading of the final message gives the expected answer and no other, without a hedge, and the
prompt asked for a format that the answer does not have. Each `value` says what is wrong with the format. Not where a
judge that reads and reasons gave the zero: it may have had other grounds (`denied_by_judge`).

False alarms: a right answer that was scored zero for another reason, such as a rule about what stands around it.
"""

from __future__ import annotations

from blade.extract.attempt import Attempt
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired

ID = "B19"
FAMILY = "behaviour"
TITLE = "right answer in the wrong format"
KIND = "format"
EXPLAINS = 70
SPLIT = True
RECOVERS = True
SUPPORTS = {"BI": 1.2, "TI": 0.8}
RELIABILITY = 0.8
READS = ("task", "model", "verifier")
NEEDS = "key"
RECOVERS = True


def detect(attempt: Attempt) -> Sighting:
    if not attempt.zero or attempt.judge or attempt.key is None or not attempt.final_text or attempt.wanted is None:
        return NOT_APPLICABLE
    if attempt.answer is not None and attempt.key.is_met(attempt.answer[1], attempt.options):
        return CLEAN  # the verifier read it well: not a matter of format
    right = attempt.right
    if right is None or not right.flaw:
        return CLEAN
    asked_format, reading = attempt.wanted, right.reading
    words = asked_format.step.text[asked_format.start : asked_format.end]
    return fired(
        attempt.cite_final(reading.start, reading.end),
        *attempt.cite_key(),
        attempt.cite(asked_format.step, asked_format.start, asked_format.end),
        detail=f"answers '{reading.text[:40]}', which equals the key after normalisation, and scored zero; it is not "
        f"written as asked ('{words[:40].strip()}'): {right.flaw}",
        value=right.flaw,
    )
