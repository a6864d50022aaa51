"""A tool call that failed and was not made good: an error flag, an exit code, an error's first words.

Guarded (G1) where a later call of the same tool went well. A symptom: most agents meet errors, and most recover.

False alarms: errors quoted in a file or a page that the tool returns; tests that are meant to fail.
"""

from __future__ import annotations

from blade.extract.attempt import Attempt
from blade.extract.error_class import error_class
from blade.findings import CLEAN, MOST_CITES, NOT_APPLICABLE, Sighting, fired, guarded

ID = "T04"
FAMILY = "tool"
TITLE = "failed tool call without recovery"
KIND = "behaviour"
EXPLAINS = 0
SUPPORTS: dict[str, float] = {}
RELIABILITY = 0.8
READS = ("model", "tool")
NEEDS = "answers"


def detect(attempt: Attempt) -> Sighting:
    if not attempt.answered:
        return NOT_APPLICABLE
    failed = attempt.failed
    if not failed:
        return CLEAN
    good: dict[str, int] = {call.name: call.place for call in attempt.calls if call.answers and not call.failed}
    open_ones = [call for call in failed if good.get(call.name, -1) < call.place]
    cited_calls = open_ones or failed
    cites = [cite for call in cited_calls[:MOST_CITES] for cite in attempt.cite_problem(call)]
    first = cited_calls[0]
    kind = error_class(first.problem or "")
    times = f"{len(cited_calls)} calls" if len(cited_calls) > 1 else "a call"
    sighting = fired(*cites, detail=f"{times} failed, the first of '{first.name}'", value=kind)
    return sighting if open_ones else guarded(sighting, "G1")
