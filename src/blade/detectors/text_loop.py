"""The model's words go in circles: twelve words in a row five times in one message, or one message three times.

False alarms: tables, lists of the same form and proofs by cases; runs of words with fewer than five different ones are
left out. Where the output was also cut off inside the circle, the rule on loops that spend the limit says it.
"""

from __future__ import annotations

from blade.extract.attempt import Attempt
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired

ID = "B16"
FAMILY = "behaviour"
TITLE = "same words over and over"
KIND = "behaviour"
EXPLAINS = 25
SUPPORTS = {"BI": 1.0}
RELIABILITY = 0.8
READS = ("model",)


def detect(attempt: Attempt) -> Sighting:
    if not attempt.spoken:
        return NOT_APPLICABLE
    circle = attempt.circle
    if circle is None:
        return CLEAN
    cites = [
        attempt.cite(circle.step, *circle.first),
        *(attempt.cite(repeated_step, 0, 160) for repeated_step in circle.others[:2]),
    ]
    if circle.last != circle.first:
        cites.append(attempt.cite(circle.step, *circle.last))
    subject = "message stands" if circle.others else "words stand"
    return fired(
        *cites, detail=f"the same {subject} there {circle.times} times", value="messages" if circle.others else "words"
    )
