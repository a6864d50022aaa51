"""A call that breaks the tool's schema, and that the tool rejected.

Guarded (G1) where a later call of the same tool went well.

False alarms: lenient servers take calls that break their own schema, so an answer without an error is believed; an
error can also have another reason than the broken rule.
"""

from __future__ import annotations

from blade.extract.attempt import Attempt
from blade.extract.schema import violations
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired, guarded

ID = "T03"
FAMILY = "tool"
TITLE = "call rejected by the tool's schema"
KIND = "format"
EXPLAINS = 62
NAMES = "argument"
SUPPORTS = {"KG": 0.7, "BI": 0.5}
RELIABILITY = 1.0
READS = ("model", "tool")
NEEDS = "calls"


def detect(attempt: Attempt) -> Sighting:
    tools = attempt.tools
    if not tools or not attempt.calls:
        return NOT_APPLICABLE
    hidden: Sighting | None = None
    for call in attempt.failed:
        if call.name not in tools or call.answer is None:
            continue
        broken = next(violations(tools[call.name], call.arguments), None)
        if broken is None:
            continue
        name, wrong = broken
        cites = [attempt.cite_value(call, (name,)), *attempt.cite_problem(call)]
        sighting = fired(*cites, detail=f"calls '{call.name}', where '{name}' {wrong}", value=f"{call.name}.{name}")
        if not attempt.recovered(call):
            return sighting
        hidden = hidden or guarded(sighting, "G1")
    return hidden or CLEAN
