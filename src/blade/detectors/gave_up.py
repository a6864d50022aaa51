"""The final message says that it cannot be done, while a tool for it was offered and hardly tried.

A tool is for it when a telling word of its name stands in the sentence, or when the sentence speaks of the web, of
running code or of files and such a tool is offered. It was hardly tried when no call was made, or one that
failed; guarded (G6) where that one failed for reasons outside the attempt.

False alarms: limits that a policy sets, and tools that look right and are not.
"""

from __future__ import annotations

import re

from blade.extract.attempt import Attempt
from blade.extract.names import words
from blade.extract.own_claims import UNABLE, every
from blade.extract.trouble import says
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired, guarded
from blade.late_regex import late_regex
from blade.model import StepKind

ID = "B13"
FAMILY = "behaviour"
TITLE = "giving up with a tool at hand"
KIND = "behaviour"
EXPLAINS = 40
NAMES = "tool"
SUPPORTS = {"BI": 1.6}
RELIABILITY = 0.6
READS = ("model", "tool")
NEEDS = "tools"

_COMMON = frozenset(
    "with from into that this list find make data tool info item items name user details create update delete send "
    "cancel modify retrieve check execute function call transfer human agents agent".split()
)
_KINDS = (
    ("web internet online browse real-time current latest live search", "search browse web fetch"),
    ("run execute compute calculate code script command", "bash shell terminal python exec code calculator calculate"),
    ("file files directory folder repository", "read bash shell terminal glob ls"),
)
"""Words of a sentence, and words in the names of tools that serve it."""
_WORD = late_regex(r"[A-Za-z-]+")
_POLICY = late_regex(r"\b(policy|policies|not allowed|permitted|guidelines?|eligible|transfer)\b", re.IGNORECASE)


def detect(attempt: Attempt) -> Sighting:
    if not attempt.tools or attempt.final is None:
        return NOT_APPLICABLE
    if any(step.kind is StepKind.OUTPUT for step in attempt.prompt):
        return NOT_APPLICABLE
    calls = attempt.calls
    if len(calls) > 1 or any(not call.failed for call in calls):
        return CLEAN
    for start, end in every(attempt.final, UNABLE):
        sentence = attempt.final.text[start:end]
        if _POLICY.search(attempt.final.text[max(start - 80, 0) : end + 80]):
            continue
        name = _tool_for(sentence, attempt)
        if name:
            extent = "after one failed call" if calls else "without a single call"
            sighting = fired(
                attempt.cite(attempt.final, start, end),
                detail=f"says it cannot be done {extent}, while '{name}' is offered",
                value=name,
            )
            outside = any(says(call.problem or "") in {"infrastructure", "timed_out"} for call in calls)
            return guarded(sighting, "G6") if outside else sighting
    return CLEAN


def _tool_for(sentence: str, attempt: Attempt) -> str | None:
    spoken = {word.lower() for word in _WORD.findall(sentence)}
    stems = {word.rstrip("s") for word in spoken if len(word) >= 4}
    kind_words = {word for cue, served in _KINDS if spoken & set(cue.split()) for word in served.split()}
    for name in attempt.tools or ():
        parts = set(words(name.replace(".", "_")))
        telling = {word.rstrip("s") for word in parts if len(word) >= 4 and word not in _COMMON}
        if telling & stems or parts & kind_words:
            return name
    return None
