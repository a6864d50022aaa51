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
TITLE = "a tool could not be reached"
KIND = "infrastructure"
EXPLAINS = 94
SUPPORTS = {"IR": 1.8}
RELIABILITY = 0.8
READS = ("model", "tool")
NEEDS = "answers"

_TOPICS = frozenset({"transport"})


def detect(attempt: Attempt) -> Sighting:
    if not attempt.answered:
        return NOT_APPLICABLE
    found = [told for told in attempt.troubles if told.topic in _TOPICS]
    if not found:
        return CLEAN
    left = [told for told in found if not attempt.recovered(told.call)]
    cites = [attempt.cite_words(told.answer.step, told.words) for told in left or found]
    name = (left or found)[0].call.name
    seen = fired(*cites, detail=f"'{name}' could not be reached", value=name)
    return seen if left else guarded(seen, "G1")
