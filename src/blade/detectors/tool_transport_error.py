"""A tool could not be reached: refused connections, name resolution, TLS, 429 and 5xx in its answer.

Charged to the call that got the answer (G2). Guarded (G1) where a later call of the same tool went well.

False alarms: faults that are simulated as part of the task, and sandboxes without a network where the agent tries the
network once as its last command.
"""

from __future__ import annotations

from blade.extract.attempt import Attempt
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired, guarded

ID = "I03"
FAMILY = "infrastructure"
TITLE = "unreachable tool"
KIND = "infrastructure"
EXPLAINS = 94
NAMES = "tool"
SUPPORTS = {"IR": 1.8}
RELIABILITY = 0.8
READS = ("model", "tool")
NEEDS = "answers"

_TOPICS = frozenset({"transport"})


def detect(attempt: Attempt) -> Sighting:
    if not attempt.answered:
        return NOT_APPLICABLE
    troubles = [trouble for trouble in attempt.troubles if trouble.topic in _TOPICS]
    if not troubles:
        return CLEAN
    left = [trouble for trouble in troubles if not attempt.recovered(trouble.call)]
    cites = [attempt.cite_words(trouble.answer.step, trouble.words) for trouble in left or troubles]
    name = (left or troubles)[0].call.name
    sighting = fired(*cites, detail=f"'{name}' could not be reached", value=name)
    return sighting if left else guarded(sighting, "G1")
