"""An expected answer that the prompt itself gives away.

It explains no failure: it makes passes worth less.

False alarms: worked examples (several answers in a prompt are taken for such), tasks that ask to find or copy a
passage, and options of a multiple-choice question.
"""

from __future__ import annotations

import re
from functools import lru_cache

from blade.extract.attempt import Attempt
from blade.extract.same_answer import normal
from blade.extract.text import squeeze
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired
from blade.late_regex import late_regex
from blade.model import Step

ID = "D03"
FAMILY = "data"
TITLE = "answer given away by the prompt"
KIND = "data"
EXPLAINS = 0
SUPPORTS = {"DA": 2.0}
RELIABILITY = 0.8
READS = ("task", "verifier")

LONGEST_PROMPT = 8000
LONG_ANSWER = 80
_STATED = late_regex(
    r"\b(?:answer|solution|ground[ _]truth|answer key|expected[ _](?:answer|output|result))[*_`\"]{0,3}"
    r"(?: is)?\s{0,2}[:=][*_`]{0,3}[ \t]*\n?[ \t]*([^\n]{1,300})",
    re.IGNORECASE,
)
_EXAMPLE = late_regex(
    r"\b(?:e\.g|example|for instance|such as|like|format|form|template|sample|demonstration)\b", re.IGNORECASE
)
_COPY = late_regex(
    r"\b(?:copy|repeat|reproduce|verbatim|quote|extract|retrieve|recite|translate|rewrite|edit|correct|find|summari[sz]e|"
    r"passage|document|context|conversation|text|paragraph|grade|judge|evaluate|review|verify|proof)\b",
    re.IGNORECASE,
)


def detect(attempt: Attempt) -> Sighting:
    if not attempt.gold or not attempt.prompt:
        return NOT_APPLICABLE
    question = next((step for step in reversed(attempt.prompt) if step.role == "user"), None)
    if question is None or len(question.text) > LONGEST_PROMPT:
        return NOT_APPLICABLE
    return _answer_in_prompt(attempt, question) or _contained(attempt, question) or CLEAN


def _answer_in_prompt(attempt: Attempt, question: Step) -> Sighting | None:
    """The prompt says what the answer is, once, and it is the expected one."""
    if attempt.key is None:
        return None
    phrases = _answer_phrases(question.text)
    if len(phrases) != 1:
        return None
    match = phrases[0]
    before = question.text[max(0, match.start() - 120) : match.start()]
    if _EXAMPLE.search(before) or not any(
        normal(match.group(1)) == normal(accepted) for accepted in attempt.key.accepted
    ):
        return None
    return fired(
        attempt.cite(question, match.start(), match.end()),
        *attempt.cite_key(),
        detail=f"the prompt states the expected answer, '{match.group(1).strip()[:60]}'",
        value="stated",
    )


@lru_cache(maxsize=256)
def _answer_phrases(text: str) -> tuple[re.Match[str], ...]:
    """Where a prompt states an answer. Prompts repeat from row to row."""
    return tuple(_STATED.finditer(text)) if ":" in text or "=" in text else ()


def _contained(attempt: Attempt, question: Step) -> Sighting | None:
    """A long reference text stands in the prompt as a whole."""
    for name, value in attempt.gold.items():
        if not isinstance(value, str) or len(value) < LONG_ANSWER:
            continue
        words = squeeze(value)
        at = question.text.find(value.strip())
        if len(words) < LONG_ANSWER or (at < 0 and words not in squeeze(question.text)) or _COPY.search(question.text):
            continue
        cite = (
            attempt.cite(question, at, at + len(value.strip())) if at >= 0 else attempt.cite_words(question, words[:40])
        )
        detail = f"the whole text of {name} stands in the prompt"
        return fired(cite, attempt.cite_field(name), detail=detail, value=name)
    return None
