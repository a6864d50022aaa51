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
TITLE = "does something other than what was expected"
KIND = "behaviour"
EXPLAINS = 54
SUPPORTS: dict[str, float] = {}
RELIABILITY = 1.0
READS = ("model", "tool", "verifier")
NEEDS = "reference"


def detect(attempt: Attempt) -> Sighting:
    if attempt.reference is None:
        return NOT_APPLICABLE
    found = attempt.deviation
    if found is None or found.call is None or found.expected is None or found.index is None:
        return CLEAN
    if found.kind not in {WRONG_TOOL, WRONG_ARGUMENT}:
        return CLEAN
    cites = [attempt.cite_value(found.call, found.path), *attempt.cite_expected(found.index, found.path)]
    if found.tried is not None:
        cites.append(attempt.cite_value(found.tried, found.path))
    named = dotted(found.path)
    value = f"{found.call.name}.{named}" if named else f"{found.expected[0]} → {found.call.name}"
    return fired(*cites, detail=_detail(found, found.expected[0]), value=value)


def _detail(found: Deviation, wanted: str) -> str:
    name = found.call.name if found.call else ""
    if found.kind == WRONG_TOOL:
        return f"calls '{name}', expected '{wanted}'"
    if not found.path:
        return f"calls '{name}' with arguments other than expected"
    made, expected = shown_value(found.made_value), shown_value(found.expected_value)
    return f"calls '{name}' with {dotted(found.path)} {made}, expected {expected}"
