"""A changing call that differs from the action that the benchmark expected: another tool, or another argument.

The first such call is cited, at the value that differs, beside the expected value where the row holds it (G2); so
is the first try of it that the tool had rejected.

False alarms: benchmarks that accept several ways; a free text (the words of a message) that need not be the same.
"""

from __future__ import annotations

from blade.extract.against_reference import WRONG_ARGUMENT, WRONG_TOOL, Deviation
from blade.extract.attempt import Attempt
from blade.extract.json_spans import dotted
from blade.extract.transcript import shown_value
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired

ID = "T10"
FAMILY = "tool"
TITLE = "action other than expected"
KIND = "behaviour"
EXPLAINS = 54
NAMES = "difference"
SUPPORTS: dict[str, float] = {}
RELIABILITY = 1.0
READS = ("model", "tool", "verifier")
NEEDS = "reference"


def detect(attempt: Attempt) -> Sighting:
    if attempt.reference is None:
        return NOT_APPLICABLE
    deviation = attempt.deviation
    if deviation is None or deviation.call is None or deviation.expected is None or deviation.index is None:
        return CLEAN
    if deviation.kind not in {WRONG_TOOL, WRONG_ARGUMENT}:
        return CLEAN
    cites = [
        attempt.cite_value(deviation.call, deviation.path),
        *attempt.cite_expected(deviation.index, deviation.path),
    ]
    if deviation.tried is not None:
        cites.append(attempt.cite_value(deviation.tried, deviation.path))
    argument = dotted(deviation.path)
    value = f"{deviation.call.name}.{argument}" if argument else f"{deviation.expected[0]} → {deviation.call.name}"
    return fired(*cites, detail=_detail(deviation, deviation.expected[0]), value=value)


def _detail(deviation: Deviation, expected_tool: str) -> str:
    name = deviation.call.name if deviation.call else ""
    if deviation.kind == WRONG_TOOL:
        return f"calls '{name}', expected '{expected_tool}'"
    if not deviation.path:
        return f"calls '{name}' with arguments other than expected"
    actual, expected = shown_value(deviation.made_value), shown_value(deviation.expected_value)
    return f"calls '{name}' with {dotted(deviation.path)} {actual}, expected {expected}"
