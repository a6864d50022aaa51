"""The options of a multiple-choice question, from the row or from the prompt, and which of them a text names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from blade.extract.same_answer import normal, peel
from blade.late_regex import late_regex

_FIELDS = ("options", "choices", "answer_choices")
_HOLDERS = ("", "verifier_metadata", "metadata", "verifier", "task")
_LINE = late_regex(r"^[ \t>*-]{0,4}[(\[]?([A-Z])[)\].:][ \t]+(\S[^\n]{0,400})", re.MULTILINE)
_LETTER = late_regex(
    r"(?:(?:option|choice|answer|letter)[\W_]+)?[(\[]?([A-Za-z])(\W*$|[)\]][\W_]?|[.:,;]\s|\s?[-–—]\s|\s(?:because|since)\b)",
    re.IGNORECASE,
)
_FIRST = late_regex(r"A[)\].:]")
"""A pattern that begins with one rare letter is found ten times as fast as four words that do."""
LONGEST_PROMPT = 20_000


def options_of(row: Mapping[str, Any], prompt: str) -> dict[str, str]:
    """Letter → text, in order; empty where the question has no lettered options."""
    for holder in _HOLDERS:
        holder_fields = row.get(holder) if holder else row
        if isinstance(holder_fields, dict):
            for name in _FIELDS:
                options = _listed(holder_fields[name]) if name in holder_fields else {}
                if options:
                    return options
    return _in_prompt(prompt[-LONGEST_PROMPT:])[0]


def stem_of(prompt: str) -> str:
    """What the question asks: the text before its options, from behind the options of an example before it."""
    end = prompt[-LONGEST_PROMPT:]
    options, stem = _in_prompt(end)
    return stem if options else end


def _listed(value: Any) -> dict[str, str]:
    pairs: list[tuple[Any, Any]] = []
    if isinstance(value, dict):
        pairs = list(value.items())
    elif isinstance(value, list) and all(isinstance(item, dict) for item in value):
        pairs = [pair for item in value for pair in item.items()]
    elif isinstance(value, list) and all(isinstance(item, str) for item in value) and len(value) <= 26:
        pairs = [(chr(65 + place), item) for place, item in enumerate(value)]
    options = {key: text for key, text in pairs if isinstance(key, str) and len(key) == 1 and isinstance(text, str)}
    return options if len(options) == len(pairs) > 1 else {}


@lru_cache(maxsize=256)
def _in_prompt(prompt: str) -> tuple[dict[str, str], str]:
    """The last run of lines that are lettered A, B, C and so on, and the text before it."""
    if not _FIRST.search(prompt):
        return {}, ""
    best: dict[str, str] = {}
    run: dict[str, str] = {}
    stem, start, before, behind = "", 0, 0, 0
    for match in _LINE.finditer(prompt):
        letter = match.group(1)
        if letter == "A":
            run, start, before = {}, match.start(), behind
        behind = match.end()
        if ord(letter) - 65 == len(run):
            run[letter] = match.group(2).strip()
            if len(run) > 1:
                best, stem = dict(run), prompt[before:start]
        else:
            run = {}
    return best, stem


def letter_of(text: str, options: Mapping[str, str]) -> str | None:
    """The option a text names, by its letter or by its words; None where it names none, or cannot be told."""
    plain = peel(text)
    match = _LETTER.match(plain)
    if match and (letter := match.group(1).upper()) in options:
        remainder = plain[match.end() :].strip()
        if (
            len(match.group(0)) == len(plain)
            or match.group(1).isupper()
            or normal(remainder) == normal(options[letter])
        ):
            return letter
    normal_text = normal(plain)
    by_words = [letter for letter, words in options.items() if normal_text and normal(words) == normal_text]
    return by_words[0] if len(by_words) == 1 else None
