"""Memory or disk ran out, or the process was killed.

Told by a flag, an error field or an exit code of the row (137 is a kill, most often for memory), or by a tool's failed
answer. Guarded (G1) where a later call of the same tool went well.

A kill that the agent's own last command sent is none (`extract.own_kills`).

False alarms: memory that the agent's own program used up; a kill by somebody's hand.
"""

from __future__ import annotations

from blade.extract.attempt import Attempt
from blade.extract.claim_sightings import claimed
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired, guarded

ID = "I06"
FAMILY = "infrastructure"
TITLE = "out of memory or disk, or killed"
KIND = "infrastructure"
EXPLAINS = 95
SUPPORTS = {"IR": 1.2, "BI": 0.5}
RELIABILITY = 0.8
READS = ("model", "tool", "environment", "verifier")

_ABOUT = frozenset({"memory"})
_TOPICS = frozenset({"memory"})


def detect(attempt: Attempt) -> Sighting:
    sighting = claimed(attempt, _ABOUT, "it was killed or out of memory or disk")
    if sighting:
        return sighting
    if not attempt.calls:
        return CLEAN if attempt.fields or attempt.steps else NOT_APPLICABLE
    troubles = [trouble for trouble in attempt.troubles if trouble.topic in _TOPICS]
    if not troubles:
        return CLEAN
    left = [trouble for trouble in troubles if not attempt.recovered(trouble.call)]
    first = (left or troubles)[0]
    tool = first.call.name
    cite = attempt.cite_words(first.answer.step, first.words)
    sighting = fired(cite, detail=f"'{tool}' ran out of memory or disk", value=tool)
    return sighting if left else guarded(sighting, "G1")
