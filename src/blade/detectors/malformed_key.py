"""An answer key that no answer can meet: empty, "nan", markup, a letter that is no option, an expression cut short.

False alarms: free-text keys with brackets of their own, and verifiers that use the key only as a hint for a judge.
"""

from __future__ import annotations

import re
from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.options import letter_of
from blade.extract.same_answer import peel
from blade.findings import CLEAN, NOT_APPLICABLE, Cite, Sighting, fired
from blade.late_regex import late_regex

ID = "D07"
FAMILY = "data"
TITLE = "malformed answer key"
KIND = "data"
EXPLAINS = 73
SUPPORTS = {"DA": 2.0}
RELIABILITY = 1.0
READS = ("task", "verifier")

SHORT = 120
_NAMES = ("expected_answer", "correct_answer", "gold_answer", "ground_truth", "reference_answer")
_NO_VALUE = frozenset("nan null undefined todo tbd".split())
_MARKUP = late_regex(
    r"</?(?:p|div|span|br|td|tr|li|ul|html|body|b|i|sub|sup)\b[^>]{0,40}>|&(?:nbsp|lt|gt|amp|quot);", re.IGNORECASE
)
_MATHS = late_regex(r"\\[a-zA-Z]+|\\boxed")


def detect(attempt: Attempt) -> Sighting:
    names = [name for name in _NAMES if isinstance(attempt.row.get(name), str)]
    if not names:
        return NOT_APPLICABLE
    name = names[0]
    text = attempt.row[name]
    kind = _fault(attempt, text)
    if not kind:
        return CLEAN
    cites: list[Cite] = [attempt.cite_field(name)]
    if kind == "empty" and attempt.answer is not None:
        cites.append(attempt.cite_field(attempt.answer[0]))
    return fired(*cites, detail=f"the key in {name}, '{text.strip()[:60]}', is {kind}", value=kind)


def _fault(attempt: Attempt, text: str) -> str:
    plain = text.strip()
    if not plain:
        filled_fields = {name: value for name, value in attempt.gold.items() if not _blank(value)}
        return "empty" if attempt.answer is not None and not filled_fields else ""
    if plain.casefold() in _NO_VALUE:
        return "no value"
    if len(plain) <= SHORT and _MARKUP.search(plain):
        return "" if _MARKUP.search(attempt.task_text[:20_000]) else "markup"
    if len(plain) <= SHORT and _MATHS.search(plain) and plain.count("{") != plain.count("}"):
        return "cut in a bracket"
    letter = peel(plain)
    if (
        len(letter) == 1
        and letter.isupper()
        and len(attempt.options) > 1
        and letter_of(letter, attempt.options) is None
    ):
        return "none of the options" if not letter.isdigit() and _complete(attempt.options) else ""
    return ""


def _complete(options: dict[str, str]) -> bool:
    """Options lettered without a gap from A."""
    return [ord(letter) for letter in options] == list(range(65, 65 + len(options)))


def _blank(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())
