"""The records in a tool's answer: a list of objects, wherever it stands near the top."""

from __future__ import annotations

import re
from functools import lru_cache
from operator import itemgetter
from typing import Any

from blade.extract.field_roles import REMEMBERED, WIDE, Names
from blade.extract.names import words
from blade.extract.text import NO_JSON, parsed
from blade.late_regex import late_regex

LONGEST = 200_000
_IDENTIFIERS = frozenset({("id",), ("uuid",), ("key",), ("number",)})
_NOTHING = late_regex(
    r"\bnot found\b|\bno (?:\w+ ){0,3}(?:found|match(?:es)?|results?|records?)\b|\bdoes not exist\b", re.IGNORECASE
)
_NO_OUTPUT = late_regex(
    r"\W*(?:[^\n]{0,60}\b)?(?:no|without(?: any)?|empty|(?:not|n['’]t) (?:produce|return|print|give|yield)(?: any)?) "
    r"(?:std ?out|output)\W*\Z",
    re.IGNORECASE,
)
"""What a harness writes in the place of an answer that is empty: “(no output)”."""
LONGEST_NOTICE = 100


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
            if isinstance(holder, list) and len(holder) > len(best) and _only_objects(holder):
                best = holder
        level = [inner for holder in level if isinstance(holder, dict) for inner in holder.values()]
        if not level:
            break
    return best


def _only_objects(items: list[Any]) -> bool:
    return type(items[0]) is dict and {*map(type, items)} == {dict}


def record_id(record: dict[str, Any]) -> str:
    """What names a record: the first field called an identifier, as text."""
    for key in _naming(tuple(record)):
        value = record[key]
        if isinstance(value, (str, int)):
            text = str(value)
            return text if len(text) >= 2 and not isinstance(value, bool) else ""
    return ""


def record_ids(rows: list[dict[str, Any]]) -> set[str]:
    """What names the records of a list, those without a name left out."""
    first = tuple(rows[0])
    naming = _naming(first)
    if naming and _all_begin_with(naming[0], rows, first):
        values = [*map(itemgetter(naming[0]), rows)]
        if {*map(type, values)} == {str}:  # so it is nearly always: no record need be looked at by itself
            ids = {*values}
            return ids if min(map(len, ids)) >= 2 else {value for value in ids if len(value) >= 2}
    return {name for record in rows if (name := record_id(record))}


def _all_begin_with(name: str, rows: list[dict[str, Any]], first: Names) -> bool:
    """Whether this is the name of every record: the very first key of each, or each has the keys of the first."""
    if name == first[0] and [*map(next, map(iter, rows))].count(name) == len(rows):
        return True
    return [*map(tuple, rows)].count(first) == len(rows)


def _naming(keys: Names) -> Names:
    """The keys that are called identifiers. The records of a list have the same keys."""
    return _kept_naming(keys) if len(keys) <= WIDE else _named(keys)


def _named(keys: Names) -> Names:
    return tuple(key for key in keys if words(key)[-1:] in _IDENTIFIERS)


_kept_naming = lru_cache(maxsize=REMEMBERED)(_named)


def found_nothing(text: str) -> bool:
    """Whether an answer says that there is nothing: empty, or a short line that says so."""
    return holds_nothing(text) or (len(text) <= 200 and _NOTHING.search(text) is not None)


def holds_nothing(text: str) -> bool:
    """Whether an answer is empty: blank, null, an empty list or object, or such a value in a wrapper."""
    short = text.strip()
    if len(short) > 200:
        return False
    if says_no_output(short):
        return True
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


def says_no_output(answer: str) -> bool:
    """Whether an answer is a harness's words for no output, and nothing else."""
    short = answer.strip()
    return len(short) <= LONGEST_NOTICE and "out" in short.lower() and _NO_OUTPUT.match(short) is not None
