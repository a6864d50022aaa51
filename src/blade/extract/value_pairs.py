"""One value that was given and the one that was expected in its place: an argument of a call, or a result.

A verifier that compares calls names the first argument that it refuses; the rows of others list the expected calls,
or say what number they expected and got. How the two differ is asked of all rollouts together:
`blade.questions.wrong_numbers`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from math import isfinite
from typing import Any

from blade.extract.against_reference import WRONG_ARGUMENT, difference, plain
from blade.extract.attempt import Attempt
from blade.extract.refused_values import BOTH, refused_argument
from blade.extract.text import clip
from blade.extract.verifier_words import complaints
from blade.late_regex import late_regex
from blade.model import Step

NUMBER, TEXT = "number", "text"
MOST_CHOICES, MOST_COMPARED = 4, 40
"""So many values that would be right are kept, and so many are looked at."""
SHORTEST = 4
"""Shorter texts, with the spaces around them, stand in a request by chance."""
CUT = "…"
LONGEST = 80
MOST_BITS = 200
_HINT = "xpected"
_COUNTED = late_regex(r"\b(?:number|count|length|size|amount) of\b|\bhow many\b", re.IGNORECASE)
"""A message that counts something: its numbers are no values that were given."""
_WORD = late_regex(r"\w+")
_LEADING = late_regex(r"[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w%]|\.\d)")


def value_pair(attempt: Attempt) -> dict[str, Any]:
    """`value_pair`: the argument's name, whether both are numbers or texts, and what was given beside what was right.

    Of several values that would be right each has a pair of its own. The name is empty for the result of a rollout.
    `copied` is whether a text that was given stands word for word in the request, and none that would be right does.
    """
    record = (_complained(attempt) or _against_key(attempt)) if attempt.lost else None
    if not record:
        return {}
    name, kind, pairs = record
    facts = {"value_pair": [name, kind, pairs[:MOST_CHOICES]]}
    return facts | ({"copied": True} if name and kind == TEXT and _is_copied(attempt.prompt, pairs) else {})


def _is_copied(request: Sequence[Step], pairs: Sequence[Sequence[str]]) -> bool:
    keys = [_as_words(key) for _, key in pairs]
    values = {_as_words(value) for value, _ in pairs}
    if any(value.endswith(CUT) or key.endswith(CUT) for value, key in pairs) or "  " in (*values, *keys):
        return False
    if not all(len(value) > SHORTEST for value in values):
        return False
    asked = f" {' '.join(words for step in request if (words := _request_words(step.text)))} "
    return all(value in asked for value in values) and not any(key in asked for key in keys)


def _as_words(text: str) -> str:
    """The words of a text in small letters, with a space before and behind: whole words are sought."""
    return f" {_words(text)} "


def _words(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))


_request_words = lru_cache(maxsize=256)(_words)
"""Messages of prompts repeat from row to row."""


def _complained(attempt: Attempt) -> list[Any] | None:
    """The first value that a message of the verifier refuses: later ones may be held against another call's key."""
    for text in complaints(attempt):
        if _HINT not in text:
            continue
        refused = refused_argument(text)
        if refused is not None:
            return _record(*refused)
        result = BOTH.search(text)
        if result is not None:
            numbers = [match[0] for side in ("got", "wanted") if (match := _LEADING.match(result[side]))]
            is_value = len(numbers) == 2 and max(map(len, numbers)) <= LONGEST and not _COUNTED.search(text)
            return ["", NUMBER, [numbers]] if is_value else None
    return None


def _against_key(attempt: Attempt) -> list[Any] | None:
    """The first argument that differs from the expected call's."""
    deviation = attempt.deviation
    if deviation is None or deviation.kind != WRONG_ARGUMENT:
        return None
    name = next((part for part in deviation.path if isinstance(part, str)), "")
    return _record(name, deviation.made_value, [deviation.expected_value]) if name else None


def _record(name: str, actual: Any, choices: Sequence[Any]) -> list[Any] | None:
    """The innermost values that differ, where all that can be compared are numbers, or all are texts."""
    leaves = [difference(plain(actual), plain(choice))[1:] for choice in choices[:MOST_COMPARED]]
    for kind, form in ((NUMBER, _number), (TEXT, _text)):
        pairs = [sides for leaf in leaves if all(sides := [form(value) for value in leaf])]
        if pairs:
            return [name, kind, pairs]
    return None


def _number(value: Any) -> str:
    """A number as it is written; empty for anything else and for one that is endless or too long to be a value."""
    if (
        isinstance(value, bool)
        or not isinstance(value, (int, float))
        or (isinstance(value, float) and not isfinite(value))
    ):
        return ""
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        return ""
    return str(value)


def _text(value: Any) -> str:
    return clip(" ".join(value.split()), LONGEST) if isinstance(value, str) else ""
