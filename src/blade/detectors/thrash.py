"""Work that is done, undone and done again: an edit is taken back, or two changes alternate.

A file that was edited at least three times and returned to a former content, or the same two changing calls in the
order A, B, A with success. The first element is cited (G5): the cause lies before it.

False alarms: bisecting, and switching something on and off on purpose.
"""

from __future__ import annotations

from collections import defaultdict

from blade.extract.attempt import Attempt
from blade.extract.calls import Call, changing_name
from blade.extract.commands import Deed, file_name
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired

ID = "B15"
FAMILY = "behaviour"
TITLE = "change made and undone again"
KIND = "behaviour"
EXPLAINS = 20
SUPPORTS = {"BI": 1.4, "KG": 0.5}
RELIABILITY = 0.8
READS = ("model", "tool")
NEEDS = "calls"

_FEWEST = 3


def detect(attempt: Attempt) -> Sighting:
    if len(attempt.calls) < _FEWEST:
        return NOT_APPLICABLE
    edits: dict[str, list[tuple[Call, Deed]]] = defaultdict(list)
    changes: list[Call] = []
    for call in attempt.calls:
        if call.failed:
            continue
        work = attempt.works.get(call.place)
        file_edits = [deed for deed in work.deeds if deed.kind == "edit" and (deed.old or deed.new)] if work else []
        for deed in file_edits:
            edits[deed.path].append((call, deed))
        if not file_edits and changing_name(call.name) is True and call.answers and call.arguments:
            changes.append(call)
    if len(changes) < _FEWEST and all(len(path_edits) < _FEWEST for path_edits in edits.values()):
        return NOT_APPLICABLE
    return _undone(attempt, edits) or _alternating(attempt, changes) or CLEAN


def _undone(attempt: Attempt, edits: dict[str, list[tuple[Call, Deed]]]) -> Sighting | None:
    for path, path_edits in edits.items():
        if len(path_edits) < _FEWEST:
            continue
        earlier: dict[tuple[str, str], Call] = {}
        wholes: list[str] = []
        for call, deed in path_edits:
            back = earlier.get((deed.new, deed.old)) if deed.old else None
            returns = deed.creates and deed.new in wholes[:-1]
            if (back is not None and back is not call) or returns:
                first = back or path_edits[0][0]
                return fired(
                    attempt.cite_words(first.step, file_name(path)),
                    attempt.cite_words(call.step, file_name(path)),
                    detail=f"'{file_name(path)}' was edited {len(path_edits)} times and returned to a former content",
                    value=file_name(path),
                )
            earlier[deed.old, deed.new] = call
            if deed.creates:
                wholes.append(deed.new)
    return None


def _alternating(attempt: Attempt, changes: list[Call]) -> Sighting | None:
    for first, second, third in zip(changes, changes[1:], changes[2:], strict=False):
        if first.key == third.key and first.key != second.key:
            name = first.name
            return fired(
                *(attempt.cite(call.step) for call in (first, second, third)),
                detail=f"'{name}' is called, then '{second.name}', then '{name}' again with the same arguments",
                value=name,
            )
    return None
