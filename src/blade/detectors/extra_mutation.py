"""A changing call beyond all the actions that the benchmark expected.

False alarms: harmless records (a note, a log), and benchmarks that list only part of what may be done.
"""

from __future__ import annotations

from blade.extract.against_reference import EXTRA
from blade.extract.attempt import Attempt
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired

ID = "T11"
FAMILY = "tool"
TITLE = "change that was not expected"
KIND = "behaviour"
EXPLAINS = 53
NAMES = "call"
SUPPORTS = {"BI": 1.4}
RELIABILITY = 1.0
READS = ("model", "tool", "verifier")
NEEDS = "reference"


def detect(attempt: Attempt) -> Sighting:
    if attempt.reference is None:
        return NOT_APPLICABLE
    deviation = attempt.deviation
    if deviation is None or deviation.kind != EXTRA or deviation.call is None:
        return CLEAN
    name = deviation.call.name
    detail = f"calls '{name}', a change that is not among the expected actions"
    cites = [attempt.cite(call.step, 0, 120) for call in (deviation.call, deviation.tried) if call is not None]
    return fired(*cites, detail=detail, value=name)
