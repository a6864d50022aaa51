"""Code was edited, a tool to run it was at hand, and nothing was run after the first edit.

On passes: it fires on many, because small changes need no test and some sandboxes offer little to run. It is a
symptom and explains no failure by itself.

False alarms: one-line fixes that need no run; an environment in which nothing can be run. It is a symptom: many
attempts pass without a test.
"""

from __future__ import annotations

from blade.extract.attempt import Attempt
from blade.extract.commands import file_name
from blade.extract.workspace_actions import runs_things
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired

ID = "B06"
FAMILY = "behaviour"
TITLE = "edited code that is never run"
KIND = "behaviour"
EXPLAINS = 0
SUPPORTS = {"BI": 0.9}
RELIABILITY = 0.8
READS = ("model", "tool")
NEEDS = "calls"


def detect(attempt: Attempt) -> Sighting:
    if not attempt.works:
        return NOT_APPLICABLE
    offered = {*(attempt.tools or ()), *(call.name for call in attempt.calls)}
    if not any(runs_things(name) for name in offered):
        return NOT_APPLICABLE
    first = None
    path = ""
    for call, deeds, _ in attempt.works.values():
        for deed in deeds:
            if deed.kind in {"test", "run"} and first is not None:
                return CLEAN
            if deed.on_code and first is None and not call.failed:
                first, path = call, deed.path
    if first is None:
        return NOT_APPLICABLE
    name = file_name(path)
    return fired(
        attempt.cite_words(first.step, name),
        detail=f"'{name}' was edited and nothing was run afterwards",
        value=name,
    )
