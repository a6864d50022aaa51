"""The harness gave the rollout up and says so: a failure class, a placeholder response, a crash flag.

What broke is told by narrower rules where the row says it; this one is left with the harness's bare word.

False alarms: a benchmark that reuses these names for ordinary outcomes.
"""

from __future__ import annotations

from blade.extract.attempt import Attempt
from blade.extract.claim_sightings import claimed
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting

ID = ""
FAMILY = "infrastructure"
TITLE = "rollout aborted by the harness"
KIND = "infrastructure"
EXPLAINS = 93
SUPPORTS = {"IR": 2.0}
RELIABILITY = 1.0
READS = ("model", "environment", "verifier")
NEEDS = "claims"

_ABOUT = frozenset({"harness"})


def detect(attempt: Attempt) -> Sighting:
    sighting = claimed(attempt, _ABOUT, "the harness marks it as failed")
    if sighting:
        return sighting
    return CLEAN if attempt.fields or attempt.steps else NOT_APPLICABLE
