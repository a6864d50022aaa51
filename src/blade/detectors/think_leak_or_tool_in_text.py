"""Thinking that was never closed, or a tool call written as text, in the final message.

A think block that is closed before the answer is how many models are served and is left alone; so is a mark that the
prompt itself shows or asks for.

False alarms: a chat template that hands tool calls through as text and a harness that reads them there.
"""

from __future__ import annotations

import re

from blade.extract.attempt import Attempt
from blade.extract.own_claims import LONGEST
from blade.extract.prefilter import holds_any
from blade.extract.text import THINK_CLOSE
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired
from blade.late_regex import late_regex
from blade.model import Step

ID = "B24"
FAMILY = "behaviour"
TITLE = "thinking or a tool call left in the text"
KIND = "format"
EXPLAINS = 30
SUPPORTS = {"BI": 0.6, "TI": 0.6}
RELIABILITY = 0.8
READS = ("task", "model")

_MARK = late_regex(
    r"<think(?:ing)?>|<tool_call>|<function_call>|<function=|<\|tool_call|\[TOOL_CALLS\]|<\|python_tag\|>|<invoke |"
    r"<\|channel\|>|<tool_code>"
)
_WRITTEN = late_regex(
    r"\"(?:name|tool|tool_name|function)\"\s*:\s*\"([\w.-]{1,80})\"\s*,\s*\"(?:arguments|parameters|args|input)\"\s*:"
)

_OPENINGS = ("<think", "<tool_c", "<function", "<|", "[TOOL_CALLS]", "<invoke ")
_GIVEN = ('"arguments"', '"parameters"', '"args"', '"input"')


def detect(attempt: Attempt) -> Sighting:
    last = next((step for step in reversed(attempt.messages) if step.text.strip()), None)
    if last is None or not attempt.ends_by_itself:
        return NOT_APPLICABLE
    at = last.text.rfind(THINK_CLOSE)
    begin = max(at + len(THINK_CLOSE) if at >= 0 else 0, len(last.text) - LONGEST)
    for match in _MARK.finditer(last.text, begin) if holds_any(last.text, _OPENINGS) else ():
        mark = match.group(0)
        if mark in attempt.task_text:
            continue
        thinks = mark.startswith("<think")
        if not thinks and not (attempt.tools or attempt.calls):
            continue
        remainder = "thinking that is never closed" if thinks else "a tool call written as text"
        return _fired(attempt, last, match, remainder, "thinking" if thinks else "tool call")
    if attempt.tools and holds_any(last.text, _GIVEN) and '"arguments"' not in attempt.task_text:
        for match in _WRITTEN.finditer(last.text, begin):
            if match.group(1) in attempt.tools:
                return _fired(attempt, last, match, f"a call of '{match.group(1)}' written as text", "tool call")
    return CLEAN


def _fired(attempt: Attempt, step: Step, match: re.Match[str], remainder: str, value: str) -> Sighting:
    return fired(
        attempt.cite(step, match.start(), match.end() + 60), detail=f"the final message holds {remainder}", value=value
    )
