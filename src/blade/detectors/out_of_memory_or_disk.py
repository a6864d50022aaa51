"""Memory or disk ran out, or the process was killed.

Told by a flag, an error field or an exit code of the row (137 is a kill, most often for memory), or by a tool's failed
answer. Guarded (G1) where a later call of the same tool went well.

False alarms: memory that the agent's own program used up; a kill by hand.
"""

from __future__ import annotations

from blade.extract.attempt import Attempt
from blade.extract.claimed import claimed
from blade.extract.tools import troubled
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired, guarded

ID = "I06"
FAMILY = "infrastructure"
TITLE = "memory or disk ran out"
KIND = "infrastructure"
EXPLAINS = 95
SUPPORTS = {"IR": 1.2, "BI": 0.5}
RELIABILITY = 0.8

_ABOUT = frozenset({"memory"})
_TOPICS = frozenset({"memory"})


def detect(attempt: Attempt) -> Sighting:
    seen = claimed(attempt, _ABOUT, "it was killed or out of memory or disk")
    if seen:
        return seen
    if not attempt.calls:
        return CLEAN if attempt.fields or attempt.steps else NOT_APPLICABLE
    found = troubled(attempt.calls, _TOPICS)
    if not found:
        return CLEAN
    left = [one for one in found if not attempt.recovered(one[0])]
    call, answer, words = (left or found)[0]
    seen = fired(
        attempt.cite_words(answer.step, words), detail=f"'{call.name}' ran out of memory or disk", value=call.name
    )
    return seen if left else guarded(seen, "G1")
