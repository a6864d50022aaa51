"""The same call, argument for argument, made three times or more, and failing each time.

The first is cited (G5): what made it fail stands before it. Guarded (G1) where the tool went well later.

False alarms: waiting and polling, which are left out by the tool's name; a service that is down and must be tried.
"""

from __future__ import annotations

from blade.extract.attempt import Attempt
from blade.extract.calls import Call
from blade.extract.repeated_calls import OFTEN, waits
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired, guarded

ID = "T05"
FAMILY = "tool"
TITLE = "same failing call again and again"
KIND = "behaviour"
EXPLAINS = 45
NAMES = "tool"
SUPPORTS = {"BI": 1.8}
RELIABILITY = 1.0
READS = ("model", "tool")
NEEDS = "answers"


def detect(attempt: Attempt) -> Sighting:
    if not attempt.answered:
        return NOT_APPLICABLE
    if len(attempt.failed) < OFTEN:
        return CLEAN
    alike: dict[bytes, list[Call]] = {}
    for call in attempt.failed:
        if not waits(call.name):
            alike.setdefault(call.key, []).append(call)
    runs = [run for run in alike.values() if len(run) >= OFTEN]
    if not runs:
        return CLEAN
    run = next((run for run in runs if not attempt.recovered(run[-1])), runs[0])
    cites = [*(attempt.cite(call.step, 0, 120) for call in run[:3]), *attempt.cite_problem(run[0])]
    sighting = fired(
        *cites,
        detail=f"makes the same call of '{run[0].name}' {len(run)} times, and it fails each time",
        value=run[0].name,
    )
    return guarded(sighting, "G1") if attempt.recovered(run[-1]) else sighting
