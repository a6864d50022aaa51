"""A file that exists was edited, and nothing before had opened it or even named it.

Only edits inside a file count (a replacement, a patch, an edit in place), never one that writes the file anew. A file
that any earlier call or answer names counts as seen.

False alarms: a file whose content stood in the prompt under another name.
"""

from __future__ import annotations

from blade.extract.attempt import Attempt
from blade.extract.calls import Call
from blade.extract.commands import file_name
from blade.extract.transcript import arguments_text
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired, guarded
from blade.model import StepKind

ID = "B07"
FAMILY = "behaviour"
TITLE = "edit of a file never opened"
KIND = "behaviour"
EXPLAINS = 10
NAMES = "file"
SUPPORTS = {"BI": 0.8}
RELIABILITY = 0.8
READS = ("task", "model", "tool", "user", "environment")
NEEDS = "calls"

_SHOWS = {StepKind.OUTPUT, StepKind.USER, StepKind.ENVIRONMENT}


def detect(attempt: Attempt) -> Sighting:
    seen_any = False
    for call, deeds, _ in attempt.works.values():
        for deed in deeds:
            name = file_name(deed.path)
            if deed.kind != "edit" or deed.creates or len(name) < 3:
                continue
            seen_any = True
            if _named_before(attempt, call.place, name):
                continue
            sighting = fired(
                attempt.cite_words(call.step, name),
                detail=f"edits '{name}', which no earlier call had opened or named",
                value=name,
            )
            return guarded(sighting, "G1") if _opened_later(attempt, call.place, name) else sighting
    return CLEAN if seen_any else NOT_APPLICABLE


def _named_before(attempt: Attempt, place: int, name: str) -> bool:
    for step in attempt.steps[:place]:
        if step.kind is StepKind.CALL:
            if name in arguments_text(step.arguments):
                return True
        elif step.kind in _SHOWS and name in step.text:
            return True
    return any("```" in step.text and name in step.text for step in attempt.prompt)


def _opened_later(attempt: Attempt, place: int, name: str) -> bool:
    """A later call that goes well and names the file, other than an edit: the agent looked at what it had done."""
    return any(
        call.place > place
        and not call.failed
        and not _does(attempt, call)
        and name in arguments_text(call.step.arguments)
        for call in attempt.calls
    )


def _does(attempt: Attempt, call: Call) -> bool:
    work = attempt.works.get(call.place)
    return bool(work and work.deeds)
