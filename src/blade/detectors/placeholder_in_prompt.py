"""A slot of a template that was never filled: `{question}`, "<insert text>", "Question: nan".

False alarms: prompts that show a template on purpose. Code, LaTeX and lines that speak of a format are left alone.
"""

from __future__ import annotations

import re
from functools import lru_cache

from blade.extract.attempt import Attempt
from blade.extract.prefilter import holds_any
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired
from blade.late_regex import late_regex

ID = "D04"
FAMILY = "data"
TITLE = "unfilled slot in the prompt"
KIND = "data"
EXPLAINS = 68
NAMES = "slot"
SUPPORTS = {"DA": 2.0}
RELIABILITY = 0.8
READS = ("task",)

READ = 20_000
_SLOTS = (
    r"question|problem|context|document|passage|text|input|options|choices|instruction|instructions|task|query|story|"
    r"content|prompt|user_input|body|problem_statement|user_query|article|source|paragraph|sentence|image|data"
)
_ALONE = late_regex(
    rf"^[ \t]*(?:[\w ]{{1,30}}:[ \t]*)?(?<![\\$])(\{{\{{?[ \t]*(?:{_SLOTS})[ \t]*\}}?\}}|"
    r"<<?(?:insert|INSERT)[ _][^<>\n]{1,60}>|"
    r"\[(?:insert|INSERT)[ _][^\[\]\n]{1,60}\])[ \t]*$",
    re.MULTILINE,
)
_NOTHING = late_regex(
    r"^[ \t]*(?:question|problem|query|task|input)[ \t]*:[ \t]*(nan|NaN|None|null|undefined)[ \t]*$",
    re.MULTILINE | re.IGNORECASE,
)
_VALUES = ("nan", "NaN", "one", "null", "ndefined")
_SLOT = late_regex(rf"\{{[ \t]*(?:{_SLOTS})[ \t]*\}}")
_INSERTS = ("<insert", "<INSERT", "[insert", "[INSERT")
_NO_VALUE = late_regex(r":[ \t]*(?:nan|none|null|undefined)[ \t]*$", re.MULTILINE | re.IGNORECASE)
_FORMAT = late_regex(r"\b(?:format|template|placeholder|replace|fill in|example|schema)\b", re.IGNORECASE)


def detect(attempt: Attempt) -> Sighting:
    task_steps = [step for step in attempt.prompt if step.text.strip() and step.role != "assistant"]
    if not task_steps:
        return NOT_APPLICABLE
    for step in task_steps:
        slot_match = _slot(step.text[:READ])
        if slot_match is not None:
            slot = slot_match.group(1)[:60]
            detail = f"the prompt still has '{slot}' where a text should stand"
            return fired(attempt.cite(step, *slot_match.span()), detail=detail, value=slot)
    return CLEAN


@lru_cache(maxsize=256)
def _slot(text: str) -> re.Match[str] | None:
    """The first slot that was never filled. Prompts repeat from row to row."""
    if _SLOT.search(text) or holds_any(text, _INSERTS):
        for match in _ALONE.finditer(text):
            if not _speaks_of_one(text, match.start()):
                return match
    return _NOTHING.search(text) if holds_any(text, _VALUES) and _NO_VALUE.search(text) else None


def _speaks_of_one(text: str, at: int) -> bool:
    """Inside a block of code, or just after words about a template."""
    return text.count("```", 0, at) % 2 == 1 or _FORMAT.search(text[max(0, at - 200) : at]) is not None
