"""The model's words go in circles: twelve words in a row five times in one message, or one message three times.

False alarms: tables, lists of the same form and proofs by cases; runs of words with fewer than five different ones are
left out. Where the output was also cut off inside the circle, the rule on loops that spend the limit says it.
"""

from __future__ import annotations

from blade.extract.attempt import Attempt
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired

ID = "B16"
FAMILY = "behaviour"
TITLE = "repeats the same words over and over"
KIND = "behaviour"
EXPLAINS = 25
SUPPORTS = {"BI": 1.0}
RELIABILITY = 0.8
READS = ("model",)


def detect(attempt: Attempt) -> Sighting:
    if not attempt.spoken:
        return NOT_APPLICABLE
    found = attempt.circle
    if found is None:
        return CLEAN
    cites = [attempt.cite(found.step, *found.first), *(attempt.cite(other, 0, 160) for other in found.others[:2])]
    if found.last != found.first:
        cites.append(attempt.cite(found.step, *found.last))
    what = "message stands" if found.others else "words stand"
    return fired(
        *cites, detail=f"the same {what} there {found.times} times", value="messages" if found.others else "words"
    )
