"""An action that the benchmark expected and that was never made, while everything that was done is right.

False alarms: benchmarks that accept another way to the same state; an action that a policy rightly forbids.
"""

from __future__ import annotations

from blade.extract.against_reference import MISSING
from blade.extract.attempt import Attempt
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired

ID = ""
FAMILY = "behaviour"
TITLE = "leaves out an action that was expected"
KIND = "behaviour"
EXPLAINS = 52
SUPPORTS: dict[str, float] = {}
RELIABILITY = 1.0
READS = ("model", "verifier")
NEEDS = "reference"


def detect(attempt: Attempt) -> Sighting:
    if attempt.reference is None or not attempt.steps:
        return NOT_APPLICABLE
    found = attempt.deviation
    if found is None or found.kind != MISSING or found.expected is None or found.index is None:
        return CLEAN
    last = attempt.final or attempt.steps[-1]
    cites = [*attempt.cite_expected(found.index), attempt.cite(last, 0, 120)]
    name = found.expected[0]
    place = f"action {found.index + 1} of {len(attempt.reference[1])}"
    return fired(*cites, detail=f"never makes the expected call of '{name}' ({place})", value=name)
