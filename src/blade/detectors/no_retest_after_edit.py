"""Code was edited after the last test, compilation or run, and the work was handed in like that.

Only edits of code files count, and only where the agent tested before: it had run tests, or had run what it edited.

False alarms: a last edit that changes comments only; a harness in which the earlier run showed that nothing can be run.
"""

from __future__ import annotations

from blade.extract.attempt import Attempt
from blade.extract.commands import file_name
from blade.extract.names import words
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired

ID = "B05"
FAMILY = "behaviour"
TITLE = "code edited after the last test"
KIND = "behaviour"
EXPLAINS = 40
NAMES = "file"
SUPPORTS = {"BI": 1.3}
RELIABILITY = 0.8
READS = ("model", "tool")
NEEDS = "calls"

_HANDS_IN = frozenset("submit finish done complete final".split())


def detect(attempt: Attempt) -> Sighting:
    if not attempt.works:
        return NOT_APPLICABLE
    check = edit = touched = None
    path = ""
    for call, deeds, _ in attempt.works.values():
        for deed in deeds:
            if deed.kind == "test" or (deed.kind == "run" and touched is not None):
                check, edit = call, None
            elif deed.on_code and not call.failed:
                touched = call
                edit, path = (call, deed.path) if check is not None else (None, "")
    if check is None:
        return NOT_APPLICABLE
    handed_in = attempt.ends_by_itself or bool(set(words(attempt.calls[-1].name)) & _HANDS_IN)
    if edit is None or not handed_in:
        return CLEAN
    name = file_name(path)
    return fired(
        attempt.cite_words(edit.step, name),
        attempt.cite(check.step, 0, 120),
        detail=f"'{name}' was edited after the last test or run and not run again",
        value=name,
    )
