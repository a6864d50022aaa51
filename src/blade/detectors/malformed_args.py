"""A call whose arguments are not the JSON object that the tool asks for.

Guarded (G1) where a later call of the same tool went well.

False alarms: tools that take free text instead of JSON (a patch, a shell line) are left alone, and so is a call that
was answered without an error: the server was lenient.
"""

from __future__ import annotations

from blade.extract.attempt import Attempt
from blade.extract.calls import Call
from blade.extract.transcript import arguments_text
from blade.findings import CLEAN, NOT_APPLICABLE, Cite, Sighting, fired, guarded

ID = "T01"
FAMILY = "tool"
TITLE = "tool arguments that are not valid JSON"
KIND = "format"
EXPLAINS = 80
NAMES = "tool"
SUPPORTS = {"BI": 1.0, "KG": 0.3}
RELIABILITY = 1.0
READS = ("model", "tool")
NEEDS = "calls"
TAIL = 80


def detect(attempt: Attempt) -> Sighting:
    if not attempt.calls:
        return NOT_APPLICABLE
    wrong = [call for call in attempt.calls if not isinstance(call.arguments, dict) and _malformed(attempt, call)]
    if not wrong:
        return CLEAN
    open_ones = [call for call in wrong if not attempt.recovered(call)]
    first = (open_ones or wrong)[0]
    flaw = "no valid JSON" if isinstance(first.arguments, str) else "no object"
    sighting = fired(
        *_cites(attempt, first), detail=f"calls '{first.name}' with arguments that are {flaw}", value=first.name
    )
    return sighting if open_ones else guarded(sighting, "G1")


def _malformed(attempt: Attempt, call: Call) -> bool:
    if call.arguments in (None, "") or (call.answers and not call.failed):
        return False
    tool = (attempt.tools or {}).get(call.name)
    if tool is not None and tool.properties:
        return True
    return isinstance(call.arguments, str) and call.arguments.lstrip()[:1] in {"{", "["}


def _cites(attempt: Attempt, call: Call) -> list[Cite]:
    """The end of the arguments, where they break off or go wrong, and the tool's complaint."""
    text = arguments_text(call.step.arguments)
    return [attempt.cite(call.step, max(0, len(text) - TAIL)), *attempt.cite_problem(call)]
