"""A placeholder left in a call's arguments: `<name>`, `YOUR_KEY`, `path/to/file`, `example.com`, `{{value}}`.

False alarms: texts about documentation or templates; a value that stands in the prompt or in an earlier answer is the
task's own and is left alone, and so are long texts and code. Not applicable where the row does not record what was
asked.
"""

from __future__ import annotations

import re

from blade.extract.attempt import Attempt
from blade.extract.calls import Call
from blade.extract.grounding import shows_request, stands_before
from blade.extract.json_spans import Path, dotted
from blade.extract.prefilter import holds_any
from blade.extract.sent_calls import all_arguments
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired, guarded
from blade.late_regex import late_regex

ID = "T08"
FAMILY = "tool"
TITLE = "placeholder in a call's arguments"
KIND = "behaviour"
EXPLAINS = 42
NAMES = "argument"
SUPPORTS = {"BI": 1.6}
RELIABILITY = 0.8
READS = ("task", "model", "tool")
NEEDS = "calls"
LONGEST = 120
_PLACEHOLDER = late_regex(
    r"<[A-Za-z][A-Za-z_ -]{2,40}>$|\[(?:your|insert|enter|the)[ _][A-Za-z_ ]{2,40}\]$|\{\{\s*[\w.]+\s*\}\}|"
    r"(?:YOUR|INSERT|REPLACE)_[A-Z_]{2,}|your[_-](?:api|user|account|email|name|key|token|id|file|project)|"
    r"/?path/to/|(?:[\w.-]+@|https?://|www\.)?example\.(?:com|org|net)\b|(?:placeholder|xxxx+|todo|tbd)$",
)

_HINTS = (
    *("<", "[", "{{", "YOUR_", "INSERT_", "REPLACE_", "your", "path/to/", "example.", "placeholder", "xxxx"),
    *("todo", "tbd"),
)
"""Every placeholder holds one of these: looking for them first is far cheaper."""
_WRITTEN = (*(hint for hint in _HINTS if hint != "["), "[insert", "[enter", "[the")
_ESCAPES = ("\\u", "\\/")


def detect(attempt: Attempt) -> Sighting:
    if not any(isinstance(call.arguments, dict) and call.arguments for call in attempt.calls):
        return NOT_APPLICABLE
    if not _may_stand(attempt):
        return CLEAN
    if not shows_request(attempt):
        return NOT_APPLICABLE
    hidden: Sighting | None = None
    for call in attempt.calls:
        for path, value in call.plain:
            placeholder = _placeholder(value) if isinstance(value, str) else None
            if placeholder is None or stands_before(attempt, placeholder.group(0), call.place):
                continue
            sighting = _sighting(attempt, call, path, value)
            if not attempt.recovered(call):
                return sighting
            hidden = hidden or guarded(sighting, "G1")
    return hidden or CLEAN


def _may_stand(attempt: Attempt) -> bool:
    """False only where no argument of any call can hold a placeholder, as they are written: an escape may hide one."""
    arguments = attempt.once(all_arguments)
    return holds_any(arguments, _WRITTEN) or holds_any(arguments, _ESCAPES)


def _placeholder(value: str) -> re.Match[str] | None:
    if len(value) > LONGEST or not holds_any(value, _HINTS):
        return None
    return _PLACEHOLDER.search(value)


def _sighting(attempt: Attempt, call: Call, path: Path, value: str) -> Sighting:
    detail = f"calls '{call.name}' with the placeholder '{value[:60]}' as {dotted(path)}"
    return fired(attempt.cite_value(call, path), detail=detail, value=f"{call.name}.{dotted(path)}")
