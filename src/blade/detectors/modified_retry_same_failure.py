"""Three calls of one tool or more, each with other arguments, that fail for the same reason.

The first is cited (G5). Guarded (G1) where the tool went well afterwards.

False alarms: looking up several things that do not exist, one after the other, is no retry; messages that give no
reason (an exit code, a flag) are left out.
"""

from __future__ import annotations

from blade.extract.attempt import Attempt
from blade.extract.calls import Call
from blade.extract.error_class import error_class, says_nothing
from blade.extract.repeated_calls import OFTEN
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired, guarded

ID = "T06"
FAMILY = "tool"
TITLE = "other arguments, same failure"
KIND = "behaviour"
EXPLAINS = 35
SUPPORTS = {"KG": 1.2, "BI": 0.6}
RELIABILITY = 0.8
READS = ("model", "tool")
NEEDS = "answers"


def detect(attempt: Attempt) -> Sighting:
    if not attempt.answered:
        return NOT_APPLICABLE
    if len(attempt.failed) < OFTEN:
        return CLEAN
    groups: dict[tuple[str, str], list[Call]] = {}
    for call in attempt.failed:
        if call.problem and not says_nothing(call.problem):
            groups.setdefault((call.name, error_class(call.problem)), []).append(call)
    runs = [(key, run) for key, run in groups.items() if len({call.key for call in run}) >= OFTEN]
    if not runs:
        return CLEAN
    (name, kind), run = next((pair for pair in runs if not attempt.recovered(pair[1][-1])), runs[0])
    cites = [cite for call in run[:4] for cite in attempt.cite_problem(call)]
    detail = f"calls '{name}' {len(run)} times with other arguments and fails the same way ({kind or 'no message'})"
    sighting = fired(*cites, detail=detail, value=kind)
    return guarded(sighting, "G1") if attempt.recovered(run[-1]) else sighting
