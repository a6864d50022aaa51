"""The records in a tool's answer: a list of objects, wherever it stands near the top."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from blade.extract.names import words
from blade.extract.text import NO_JSON, parsed

LONGEST = 200_000
_NOTHING = re.compile(
    r"\bnot found\b|\bno (?:\w+ ){0,3}(?:found|match(?:es)?|results?|records?)\b|\bdoes not exist\b", re.IGNORECASE
)


def records(text: str) -> list[dict[str, Any]]:
    """The longest list of objects in an answer of JSON, at most two levels down; empty where there is none."""
    start = text.lstrip()
    if start[:1] not in {"{", "["} or len(text) > LONGEST:
        return []
    value = parsed(start)
    if value is NO_JSON:
        return []
    best: list[dict[str, Any]] = []
    level = [value]
    for _ in range(3):
        for holder in level:
            if isinstance(holder, list) and len(holder) > len(best) and all(isinstance(one, dict) for one in holder):
                best = holder
        level = [inner for holder in level if isinstance(holder, dict) for inner in holder.values()]
    return best


def record_id(record: dict[str, Any]) -> str:
    """What names a record: the first field called an identifier, as text."""
    for key, value in record.items():
        if _names_record(key) and isinstance(value, (str, int)):
            text = str(value)
            return text if len(text) >= 2 and not isinstance(value, bool) else ""
    return ""


@lru_cache(maxsize=4096)
def _names_record(key: str) -> bool:
    return words(key)[-1:] in {("id",), ("uuid",), ("key",), ("number",)}


def found_nothing(text: str) -> bool:
    """Whether an answer says that there is nothing: empty, or a short line that says so."""
    return holds_nothing(text) or (len(text) <= 200 and _NOTHING.search(text) is not None)


def holds_nothing(text: str) -> bool:
    """Whether an answer is empty: blank, null, an empty list or object, or such a value in a wrapper."""
    short = text.strip()
    if len(short) > 200:
        return False
    if short.lower() in {"", "none", "null", "[]", "{}", "()", "nan", '""', "''", "0 rows", "(0 rows)", "empty set"}:
        return True
    if short[:1] not in {"{", "["}:
        return False
    value = parsed(short)
    if value is NO_JSON:
        return False
    for _ in range(2):
        if isinstance(value, dict) and len(value) == 1:
            value = next(iter(value.values()))
    return value is None or (isinstance(value, (str, list, dict)) and (not value or value in ("[]", "{}", "None")))
