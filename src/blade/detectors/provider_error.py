"""The model's endpoint, or a service behind the rollout, failed: rate limits, 5xx, connections.

Told by the response's error or status, an error field of the row, the last recorded model call, or a last message that
is nothing but such an error.

False alarms: benchmarks about HTTP, whose verdicts quote such words (verdicts about content are not read as errors),
and errors that a retry mended while the field still tells of them.
"""

from __future__ import annotations

from blade.extract.attempt import Attempt
from blade.extract.claim_sightings import claimed, error_words
from blade.extract.trouble import says
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired

ID = "I01"
FAMILY = "infrastructure"
TITLE = "failure of the model's endpoint or a service behind it"
KIND = "infrastructure"
EXPLAINS = 95
SUPPORTS = {"IR": 2.5}
RELIABILITY = 1.0
READS = ("model", "environment", "verifier")

_ABOUT = frozenset({"provider"})


def detect(attempt: Attempt) -> Sighting:
    sighting = claimed(attempt, _ABOUT, "the row tells of an error outside the agent")
    if sighting:
        return sighting
    if attempt.last_words is None:
        return CLEAN if attempt.fields else NOT_APPLICABLE
    broken = attempt.once(error_words)
    if not broken or says(broken) != "infrastructure":
        return CLEAN
    cite = attempt.cite_words(attempt.last_words, broken)
    return fired(cite, detail="the last message is nothing but an error of the transport", value="message")
