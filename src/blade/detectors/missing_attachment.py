"""A prompt that speaks of an attached image, file or recording, in a request that carries none.

Does not apply where tools are offered or the row names a file: the thing may lie in the environment.

False alarms: figures of speech, and pictures that are drawn in the text itself.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.names import words
from blade.extract.prefilter import has_odd_letters, holds_any
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired
from blade.late_regex import late_regex

ID = "D05"
FAMILY = "data"
TITLE = "attachment missing from the prompt"
KIND = "data"
EXPLAINS = 68
SUPPORTS = {"DA": 2.5}
RELIABILITY = 0.8
READS = ("task", "verifier")

READ = 6000
_THING = (
    r"(?:image|picture|photo|photograph|figure|screenshot|diagram|chart|audio|recording|video|pdf|spreadsheet|file)s?"
)
_SPEAKS = late_regex(
    rf"\b(?:the|this|an?|see|in|given|following) (?:attached|accompanying|enclosed|uploaded) {_THING}\b|"
    rf"\b(?:attached|shown|depicted|displayed|seen) (?:in|is) (?:the|this) {_THING}\b|"
    rf"\b(?:the|this) {_THING} (?:is |are )?(?:attached|uploaded|enclosed)\b|"
    rf"\b(?:look at|based on|according to|refer to|listen to|watch) (?:the|this) "
    rf"(?:attached |following |given |provided )?{_THING}\b|"
    r"\bin the (?:figure|diagram|photo|photograph|screenshot)\b(?! of\b)|"
    r"\bthe (?:figure|diagram|graph|picture|image) (?:above|below|shown|(?:to|on) the (?:right|left))\b",
    re.IGNORECASE,
)
_NAMES = frozenset(
    "image images picture photo figure screenshot attachment attachments file files audio video pdf path media".split()
)
_CUES = (
    *("attached", "accompanying", "enclosed", "uploaded", "shown", "depicted", "displayed", "seen"),
    *("look at", "based on", "according to", "refer to", "listen to", "watch"),
    *("in the", "above", "below", "to the", "on the"),
)
_THINGS = (
    *("image", "picture", "photo", "figure", "screenshot", "diagram", "chart", "audio", "recording", "video", "pdf"),
    *("spreadsheet", "file"),
)
_LINK = late_regex(
    r"https?://|data:\w+/|<img|!\[|\[asy\]|\\begin\{(?:tikz|figure|picture)|\[(?:input_)?(?:image|file|audio|video)|"
    r"\n[ \t]*[|+\\/_.#-]{6,}|```"
)


def detect(attempt: Attempt) -> Sighting:
    if not attempt.prompt or attempt.tools or attempt.calls:
        return NOT_APPLICABLE
    for step in attempt.prompt:
        if step.role != "user":
            continue
        match = _spoken_of(step.text[:READ])
        if match is None:
            continue
        if _carries(attempt.row) or _LINK.search(attempt.task_text[: READ * 4]):
            return CLEAN
        detail = f"the prompt says '{match.group(0)}', and the request carries no such thing"
        return fired(
            attempt.cite(step, match.start(), match.end()), detail=detail, value=match.group(0).split()[-1].lower()
        )
    return CLEAN


@lru_cache(maxsize=256)
def _spoken_of(head: str) -> re.Match[str] | None:
    """Where a prompt speaks of a thing that comes with it. Prompts repeat from row to row."""
    lowered = head.lower()
    if not holds_any(lowered, _CUES) or not (holds_any(lowered, _THINGS) or has_odd_letters(head)):
        return None
    return _SPEAKS.search(head)


def _carries(row: dict[str, Any]) -> bool:
    """Whether the request has a part that is no text, or the row a field that names a file."""
    request = row.get("responses_create_params")
    items = request.get("input") if isinstance(request, dict) else None
    for item in items if isinstance(items, list) else []:
        content = item.get("content") if isinstance(item, dict) else None
        for part in content if isinstance(content, list) else []:
            if isinstance(part, dict) and "text" not in str(part.get("type", "text")):
                return True
    holders = [row, *(value for value in row.values() if isinstance(value, dict))]
    return any(
        value and set(words(key)) & _NAMES
        for holder in holders
        for key, value in holder.items()
        if isinstance(key, str) and isinstance(value, (str, list, dict))
    )
