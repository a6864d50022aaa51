"""A tool whose last call failed, and that was never called with success afterwards.

Whether the tool is broken or the agent uses it wrongly is told by rules about the call itself; they stand nearer to the
cause where they fire as well. A look-up of a value that somebody invented says nothing of the tool.

False alarms: a probe that was meant to fail (a look-up of something that should not exist), and tools whose answers
begin with the word error though they went well.
"""

from __future__ import annotations

from blade.extract.attempt import Attempt
from blade.extract.invented_lookups import inventions
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired

ID = ""
FAMILY = "tool"
TITLE = "failing calls of a tool"
KIND = "behaviour"
EXPLAINS = 58
SPLIT = True
SUPPORTS = {"BI": 0.4, "IR": 0.4}
RELIABILITY = 0.8
READS = ("task", "model", "tool", "user")
NEEDS = "answers"


def detect(attempt: Attempt) -> Sighting:
    if not attempt.answered:
        return NOT_APPLICABLE
    if not attempt.failed:
        return CLEAN
    last = {call.name: call for call in attempt.calls if call.answers}
    invented = attempt.once(inventions)
    broken = [call for call in last.values() if call.failed and call.name not in invented]
    if not broken:
        return CLEAN
    worst = broken[-1]
    failed = [call for call in attempt.calls if call.name == worst.name and call.failed]
    cites = [attempt.cite_words(call.answers[-1].step, call.problem or "") for call in failed[-3:]]
    all_calls = sum(call.name == worst.name for call in attempt.calls if call.answers)
    extent = f"in {len(failed)} of its {all_calls} calls, the last among them" if all_calls > 1 else "in its only call"
    return fired(*cites, detail=f"'{worst.name}' failed {extent}", value=worst.name)
