"""The attempt ended by itself with something announced, planned or asked for still undone.

Three signs, each of them explicit: the last sentence announces an action that no call follows; the agent's own plan
has steps that are not done; the task names a file to write and nothing ever named it. Where the row tells that half
of the steps or tokens were spent, it does not fire.

False alarms: a last sentence that promises something to the user for later; a plan that was not kept up to date.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.commands import file_name
from blade.extract.names import turn_count, words
from blade.extract.own_claims import last_sentence
from blade.extract.transcript import arguments_text
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired
from blade.late_regex import late_regex
from blade.model import StepKind

ID = "B12"
FAMILY = "behaviour"
TITLE = "stop before the work is done"
KIND = "behaviour"
EXPLAINS = 35
SUPPORTS = {"BI": 1.5}
RELIABILITY = 0.6
READS = ("task", "model")
NEEDS = "tools or calls"

_ANNOUNCES = late_regex(
    r"^\W*(now,? |next,? |first,? |so,? |okay,? |then,? )?"
    r"(let me|let['’]s|I['’]ll|I will|I need to|I['’]m going to|I am going to)"
    r"( now| first| next| then| also| try to| start by| begin by| proceed to)* (check|look|search|run|test|examine|"
    r"inspect|read|open|find|fetch|retrieve|query|call|use|try|create|write|edit|fix|update|verify|implement|execute|explore|"
    r"investigate|calculate|compute|install|list|add|modify|analy[sz]e|book|cancel|send|searching|checking|running)(ing)?\b",
    re.IGNORECASE,
)
_FOR_LATER = late_regex(r"\?|\b(you|your|please|if|once|when|after|later|know|wait|confirm|hold)\b", re.IGNORECASE)
_PLANS = frozenset("plan todo todos todowrite".split())
_OPEN = frozenset({"pending", "in_progress", "todo", "not_started", "open", "in progress"})
_ASKED = late_regex(
    r"\b(?:save|write|store|output|create|produce|generate|put|export)\b[^.\n]{0,60}?\b(?:to|in|into|as|at|named|called|file)\b"
    r"[ :]*[`'\"]?((?:[\w.-]*/)*[\w-]+\.[A-Za-z][A-Za-z0-9]{0,4})\b",
    re.IGNORECASE,
)


def detect(attempt: Attempt) -> Sighting:
    if not attempt.ends_by_itself or attempt.final is None or not (attempt.tools or attempt.calls):
        return NOT_APPLICABLE
    if _budget_spent(attempt):
        return NOT_APPLICABLE
    return _announced(attempt) or _planned(attempt) or _file_missing(attempt) or CLEAN


def _budget_spent(attempt: Attempt) -> bool:
    """Cut off, or more than half of the steps used where the row tells both numbers."""
    response = attempt.row.get("response")
    if isinstance(response, dict) and (response.get("incomplete_details") or response.get("status") == "incomplete"):
        return True
    used = limit = 0.0
    for name, value in attempt.fields.items():
        counts = turn_count(name)
        if not counts or isinstance(value, bool) or not isinstance(value, (int, float)):
            continue
        if counts == "limit":
            limit = float(value)
        else:
            used = float(value)
    return limit > 0 and used > limit / 2


def _announced(attempt: Attempt) -> Sighting | None:
    step = attempt.messages[-1]
    sentence, start = last_sentence(step)
    if not _ANNOUNCES.match(sentence) or _FOR_LATER.search(sentence):
        return None
    if attempt.users:
        return None
    return fired(
        attempt.cite(step, start, start + len(sentence)),
        detail="the last sentence announces an action and no call follows",
        value="announced action",
    )


def _planned(attempt: Attempt) -> Sighting | None:
    plans = [call for call in attempt.calls if _plans(call.name)]
    if not plans:
        return None
    waiting = _unfinished(plans[-1].arguments)
    if not waiting:
        return None
    return fired(
        attempt.cite_words(plans[-1].step, waiting[0]),
        detail=f"its own plan has {len(waiting)} step{'s' if len(waiting) > 1 else ''} that are not done"
        if len(waiting) > 1
        else "its own plan has a step that is not done",
        value="own plan",
    )


@lru_cache(maxsize=4096)
def _plans(name: str) -> bool:
    return not _PLANS.isdisjoint(words(name))


def _unfinished(arguments: Any) -> list[str]:
    """The texts of the steps of a plan that are not done."""
    if not isinstance(arguments, dict):
        return []
    for value in arguments.values():
        if isinstance(value, list) and value and all(isinstance(part, dict) for part in value):
            return [
                next(
                    (text for key in ("step", "content", "task", "title") if isinstance(text := part.get(key), str)), ""
                )
                for part in value
                if str(part.get("status", "")).lower() in _OPEN
            ]
    return []


def _file_missing(attempt: Attempt) -> Sighting | None:
    """A file that the user asks for, where the agent works on files and no call or answer names it."""
    if not any(deed.kind == "edit" for work in attempt.works.values() for deed in work.deeds):
        return None
    for step in attempt.prompt:
        if step.role != "user":
            continue
        for request in _ASKED.finditer(step.text[-20_000:]):
            name = file_name(request.group(1))
            if any(_names(later_step, name) for later_step in attempt.steps):
                continue
            return fired(
                attempt.cite_words(step, request.group(0)),
                detail=f"the task asks for '{name}' and no step names it",
                value="asked file",
            )
    return None


def _names(step: Any, name: str) -> bool:
    return name in (arguments_text(step.arguments) if step.kind is StepKind.CALL else step.text)
