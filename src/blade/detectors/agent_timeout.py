"""The agent ran out of its time.

Told by a flag (`agent_timed_out`), an exit code of 124, a failure class, or an error text; clocks of the verifier and
of a connection are other rules' business.

Clean where the work was handed in or a shell waits again: the clock struck afterwards, and what it says is a label.
Believed only where the row's status says so too: a field that claims it as often on passes as on failures is set aside
there.

False alarms: agents that had finished without saying so, so that the work was graded all the same.
"""

from __future__ import annotations

from blade.extract.attempt import Attempt
from blade.extract.claim_sightings import claimed
from blade.extract.endings import ended
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting

ID = "P07"
FAMILY = "pipeline"
TITLE = "agent timeout"
KIND = "behaviour"
EXPLAINS = 90
SUPPORTS = {"BI": 0.7, "IR": 0.7}
RELIABILITY = 1.0
READS = ("model", "environment", "verifier")
NEEDS = "claims"
NEEDS_STATUS = True

_ABOUT = frozenset({"time"})


def detect(attempt: Attempt) -> Sighting:
    sighting = claimed(attempt, _ABOUT, "the agent's time ran out")
    if sighting:
        return CLEAN if ended(attempt) else sighting
    return CLEAN if attempt.fields or attempt.steps else NOT_APPLICABLE
