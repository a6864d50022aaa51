"""The sandbox or container failed: it did not start, could not be pulled, or died.

Told by a flag or an error field of the row, by the run's own observations, or by tools that say so until the end. The
detail says whether the agent had acted before.

False alarms: agents that start containers of their own as part of the task (a later success of the same tool guards the
finding, G1).
"""

from __future__ import annotations

from blade.extract.attempt import Attempt
from blade.extract.claim_sightings import claimed
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired, guarded

ID = "I02"
FAMILY = "infrastructure"
TITLE = "sandbox failure"
KIND = "infrastructure"
EXPLAINS = 96
SUPPORTS = {"IR": 3.0}
RELIABILITY = 1.0
READS = ("model", "tool", "environment", "verifier")

_ABOUT = frozenset({"sandbox"})
_TOPICS = frozenset({"machine"})


def detect(attempt: Attempt) -> Sighting:
    acted = "after the agent had acted" if attempt.calls else "before the agent's first action"
    sighting = claimed(attempt, _ABOUT, f"the sandbox failed {acted}")
    if sighting:
        return sighting
    if not attempt.calls:
        return CLEAN if attempt.fields or attempt.steps else NOT_APPLICABLE
    troubles = [trouble for trouble in attempt.troubles if trouble.topic in _TOPICS]
    if not troubles:
        return CLEAN
    last = troubles[-1]
    cite = attempt.cite_words(last.answer.step, last.words)
    sighting = fired(cite, detail=f"'{last.call.name}' reports that the sandbox failed", value=last.call.name)
    return guarded(sighting, "G1") if attempt.recovered(last.call) else sighting
