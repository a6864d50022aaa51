"""The verifier ran out of its time: no verdict about the work.

Told by a flag (`eval_timed_out`), the verifier's exit code of 124, or a failure label that names the tests. A time
limit that belongs to the task ("time limit exceeded") is a verdict and is told as a failure while running.

False alarms: solutions that never end, so that the limit is a verdict after all; the supports say so.
"""

from __future__ import annotations

from blade.extract.attempt import Attempt
from blade.extract.claim_sightings import told
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting

ID = ""
FAMILY = "pipeline"
TITLE = "verifier timeout"
KIND = "verifier"
EXPLAINS = 90
SUPPORTS = {"TI": 1.0, "BI": 0.4}
RELIABILITY = 1.0
READS = ("verifier",)
NEEDS = "claims"


def detect(attempt: Attempt) -> Sighting:
    sighting = told(
        attempt, [claim for claim in attempt.claims if claim.about == "verifier time"], "the check timed out"
    )
    if sighting:
        return sighting
    return CLEAN if attempt.fields or attempt.steps else NOT_APPLICABLE
