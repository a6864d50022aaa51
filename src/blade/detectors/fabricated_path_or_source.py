"""A path or an address that nothing before had shown was used in a call, and it does not exist.

The answer must say "not found" in one of the usual ways and name the same path. Guarded (G1) where a later call of the
same tool went well: looking in the wrong place first is ordinary.

False alarms: paths that every system has (left out), and files that the task promises without naming.
"""

from __future__ import annotations

import re

from blade.extract.attempt import Attempt
from blade.extract.calls import Call
from blade.extract.prefilter import holds_any
from blade.extract.transcript import arguments_text
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired, guarded
from blade.late_regex import late_regex
from blade.model import StepKind

ID = "B09"
FAMILY = "behaviour"
TITLE = "path or source that does not exist"
KIND = "behaviour"
EXPLAINS = 40
SUPPORTS = {"BI": 1.4, "KG": 0.5}
RELIABILITY = 0.8
READS = ("task", "model", "tool")
NEEDS = "answers"

_NAMES = late_regex(r"https?://[^\s\"'<>\\)]{6,200}|(?<![\w/.:~-])(?:\.{0,2}/)?(?:[\w.-]+/)+[\w-][\w.-]*")
_STANDARD = late_regex(r"/(usr|etc|bin|sbin|dev|proc|sys|var|opt|tmp|lib|home|root)(/|$)")
_GONE = late_regex(
    r"No such file|[Nn]ot [Ff]ound|\b404\b|does ?n[o']t exist|does not exist|ENOENT|[Cc]annot find|[Cc]ould not find|"
    r"[Cc]ould not resolve|Name or service not known|FileNotFoundError|NoSuchKey|[Uu]nknown host"
)
_HINTS = (
    "No such file",
    "ot found",
    "ot Found",
    "FileNotFoundError",
    "404",
    "t exist",
    "ENOENT",
    "annot find",
    "ould not find",
    "ould not resolve",
    "not known",
    "NoSuchKey",
    "nknown host",
)
"""Each way of saying it holds one of these: looking for them first is far cheaper."""
_READ = 2_000
_ARGUMENTS = 4_000
_FEW_SLASHES = 4


def detect(attempt: Attempt) -> Sighting:
    answered = [call for call in attempt.calls if call.answer is not None]
    if not answered:
        return NOT_APPLICABLE
    hidden: Sighting | None = None
    for call in answered:
        sighting = _invented(attempt, call)
        if sighting is None:
            continue
        if not attempt.recovered(call):
            return sighting
        hidden = hidden or guarded(sighting, "G1")
    return hidden or CLEAN


def _invented(attempt: Attempt, call: Call) -> Sighting | None:
    if call.answer is None:
        return None
    arguments = arguments_text(call.step.arguments)[:_ARGUMENTS]
    if "/" not in arguments:
        return None
    answer = call.answer.text[:_READ]
    if not (call.failed and "http" in arguments) and not ("/" in answer and _may_share_name(arguments, answer)):
        return None  # every name has a slash, and all but an address must stand in the answer too
    paths = _paths_in_call(call, arguments, answer) if holds_any(answer, _HINTS) else None
    absence = _GONE.search(answer) if paths else None
    if absence is None:
        return None
    line = _line(answer, absence.start())
    for match in paths or ():
        name = match.group(0)
        about_it = name in line or (call.failed and name.startswith("http"))
        if about_it and not _shown_before(attempt, call.place, name):
            return fired(
                attempt.cite(call.step, match.start(), match.end()),
                attempt.cite(call.answer, absence.start(), absence.end()),
                detail=f"calls '{call.name}' with '{name[:80]}', which nothing before had shown and which is not there",
                value="address" if name.startswith("http") else "path",
            )
    return None


def _may_share_name(arguments: str, answer: str) -> bool:
    """False only where no name among the arguments stands in the answer: its last slash has a letter on either side."""
    at = -1
    for _ in range(_FEW_SLASHES):
        at = arguments.find("/", at + 1)
        if at < 0:
            return False
        if arguments[max(at - 1, 0) : at + 2] in answer:
            return True
    return True


def _paths_in_call(call: Call, arguments: str, answer: str) -> list[re.Match[str]]:
    """The names among the arguments that the answer may be about."""
    return [
        match
        for match in _NAMES.finditer(arguments)
        if len(name := match.group(0)) >= 6
        and (name in answer or (call.failed and name.startswith("http")))
        and not _STANDARD.match(name)
    ]


def _line(text: str, at: int) -> str:
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    return text[start : len(text) if end < 0 else end]


def _shown_before(attempt: Attempt, place: int, name: str) -> bool:
    """Whether the whole name, or its last part, stands in the prompt or in anything that happened before the call."""
    last = name.rstrip("/").rsplit("/", 1)[-1]
    for step in (*attempt.prompt, *attempt.steps[:place]):
        text = arguments_text(step.arguments) if step.kind is StepKind.CALL else step.text
        if name in text or (step.kind is not StepKind.CALL and len(last) > 3 and last in text):
            return True
    return False
