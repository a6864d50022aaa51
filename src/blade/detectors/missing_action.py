"""An action that the benchmark expected and that was never made, while everything that was changed is right.

A call of it that was rejected changes nothing: it is told beside the action, with the value that differs.

False alarms: benchmarks that accept another way to the same state; an action that a policy rightly forbids.
"""

from __future__ import annotations

from blade.extract.against_reference import MISSING, REJECTED_AS_EXPECTED, Deviation
from blade.extract.attempt import Attempt
from blade.extract.json_spans import dotted
from blade.extract.transcript import shown_value
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired

ID = ""
FAMILY = "behaviour"
TITLE = "missing expected action"
KIND = "behaviour"
EXPLAINS = 52
NAMES = "expected call"
SUPPORTS: dict[str, float] = {}
RELIABILITY = 1.0
READS = ("model", "tool", "verifier")
NEEDS = "reference"


def detect(attempt: Attempt) -> Sighting:
    if attempt.reference is None or not attempt.steps:
        return NOT_APPLICABLE
    deviation = attempt.deviation
    if deviation is None or deviation.kind != MISSING or deviation.expected is None or deviation.index is None:
        return CLEAN
    last = attempt.final or attempt.steps[-1]
    cites = [*attempt.cite_expected(deviation.index), attempt.cite(last, 0, 120)]
    if deviation.tried is not None:
        cites.append(attempt.cite_value(deviation.tried, deviation.path))
    name = deviation.expected[0]
    place = f"action {deviation.index + 1} of {len(attempt.reference[1])}"
    detail = f"never makes the expected call of '{name}' ({place}){_rejected(deviation)}"
    return fired(*cites, detail=detail, value=name)


def _rejected(deviation: Deviation) -> str:
    """How it was tried, where it was."""
    if deviation.tried is None:
        return ""
    if not deviation.path:
        return REJECTED_AS_EXPECTED
    values = shown_value(deviation.made_value), shown_value(deviation.expected_value)
    return f": it is tried with {dotted(deviation.path)} {values[0]} and rejected, expected {values[1]}"
