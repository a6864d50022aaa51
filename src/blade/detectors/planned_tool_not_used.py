"""The assistant announces a tool that is offered, never calls it, and answers all the same.

The tool's name must stand in the announcement as a name: with an underscore, in backticks, or as "the … tool". A turn
of the user after the announcement may have changed the plan, so only announcements after the last one count.

False alarms: a plan that was given up in words; a call through another tool (a shell) that does the same.
"""

from __future__ import annotations

import re

from blade.extract.attempt import Attempt
from blade.extract.own_claims import names_tool, prose
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired
from blade.late_regex import late_regex
from blade.model import Step, StepKind

ID = "B04"
FAMILY = "behaviour"
TITLE = "announced tool that is not called"
KIND = "behaviour"
EXPLAINS = 35
NAMES = "tool"
SUPPORTS = {"BI": 1.8}
RELIABILITY = 0.6
READS = ("model",)
NEEDS = "tools"

_PLAN = late_regex(
    r"\b(I['’]ll|I will|let me|I need to|I['’]m going to|I am going to|I must|I have to|next,? I|first,? I|then I)"
    r"( now| then| first| also| next| again)? (use|call|invoke|run|query|try|execute|make a call to)\b([^.\n]{0,80})",
    re.IGNORECASE,
)
_UNLESS = late_regex(
    r"\b(if|once|when|unless|after you|confirm|not|instead of|rather than|would|could)\b", re.IGNORECASE
)
_LONGEST_THOUGHT = 8_000


def detect(attempt: Attempt) -> Sighting:
    if not attempt.tools or attempt.final is None or not attempt.ends_by_itself:
        return NOT_APPLICABLE
    called = {call.name for call in attempt.calls}
    idle = [name for name in attempt.tools if name not in called]
    if not idle:
        return CLEAN
    plain = [name for name in idle if "_" not in name]
    last_user = attempt.users[-1][0] if attempt.users else -1
    for place, step in attempt.spoken:
        if place > last_user and step.text:
            plan = _planned(step, idle, plain)
            if plan:
                name, start, end = plan
                return fired(
                    attempt.cite(step, start, end),
                    attempt.cite_words(attempt.final, attempt.final_text[:100]),
                    detail=f"announces '{name}', never calls it, and answers",
                    value=name,
                )
    return CLEAN


def _planned(step: Step, idle: list[str], plain: list[str]) -> tuple[str, int, int] | None:
    """The tool that a text announces; most texts have no underscore, and most names of tools do."""
    if not plain and "_" not in step.text:
        return None
    text, base = prose(step.text) if step.kind is StepKind.MESSAGE else (step.text[-_LONGEST_THOUGHT:], 0)
    if step.kind is StepKind.THOUGHT:
        base = len(step.text) - len(text)
    candidates = [name for name in (idle if "_" in text else plain) if name in text]
    for plan in _PLAN.finditer(text) if candidates else ():
        words = plan.group(4)
        if _UNLESS.search(words):
            continue
        for name in candidates:
            if names_tool(words, name):
                return name, base + plan.start(), base + plan.end()
    return None
