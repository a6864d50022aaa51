"""The harness stopped the rollout at its limit of turns, steps, calls or cost.

Told by flags (`truncated`, `finished_naturally`), by a stop reason, or by a counter that has reached its limit. A
counter that is used up is guarded (G1) where the agent handed in its work on the last turn. It supports no label: a
rollout that a limit cuts may have gone round or made headway, and what it did before tells which.

False alarms: games and simulations whose normal end is the limit; agents that finish exactly on the last turn.
"""

from __future__ import annotations

from blade.extract.attempt import Attempt
from blade.extract.claim_sightings import of_judge, told
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, guarded

ID = "P06"
FAMILY = "pipeline"
TITLE = "turn limit reached"
KIND = "behaviour"
EXPLAINS = 90
SUPPORTS: dict[str, float] = {}
RELIABILITY = 1.0
READS = ("model", "verifier")
NEEDS = "claims"


def detect(attempt: Attempt) -> Sighting:
    if not attempt.claims:
        return CLEAN if attempt.fields or attempt.steps else NOT_APPLICABLE
    claims = [claim for claim in attempt.claims if claim.about == "turns" and not of_judge(claim.field)]
    if any(claim.about in {"tokens", "context"} for claim in attempt.claims):
        claims = [claim for claim in claims if claim.value != "True"]  # a bare flag tells of the other limit
    sighting = told(attempt, claims, "the harness stopped it at a limit")
    if sighting is None:
        return CLEAN if attempt.fields or attempt.steps else NOT_APPLICABLE
    only_spent = all(claim.strength == "spent" for claim in claims)
    finished = bool(attempt.calls) and attempt.calls[-1].finishes
    natural = any(name.endswith("finished_naturally") and value is True for name, value in attempt.fields.items())
    return guarded(sighting, "G1") if only_spent and (finished or natural) else sighting
