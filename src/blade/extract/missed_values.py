"""What checks that failed wanted and got, field by field, where the verifier records both sides.

A check of a record (`want: {"labels": ["late"], "due": "May"}, got: {"labels": [], "due": "May"}`) names the very field
that is wrong, or that nothing was found. How failures share such fields and values is asked of all rollouts together.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.checks import CHECK_NAMES
from blade.extract.sole_check import GOT, WANTED, side_of
from blade.extract.text import canonical, clip
from blade.late_regex import late_regex

DEEPEST, WIDEST, MOST, MOST_FIELDS = 3, 60, 6, 12
SHORT = 60
_HEAVY = frozenset({"responses_create_params", "response"})
_KINDS = ("kind", "type", *CHECK_NAMES)
_MET = frozenset({"ok", "passed", "pass", "met", "match", "matched", "success", "correct", "satisfied"})
_NUMBER = late_regex(r"\d+")
_HOST = late_regex(r"^[a-z][a-z0-9+.-]*://[^/]*", re.IGNORECASE)
NOTHING = "nothing"


def missed_values(attempt: Attempt) -> dict[str, Any]:
    """`missed_values`: per failed check its name, the fields that differ with both values, and how many are right.

    The fields are empty where nothing was got; a check of one value has a field without a name.
    """
    if not attempt.lost:
        return {}
    entries: list[list[Any]] = []
    for check in _checks(attempt.row, 0):
        if len(entries) == MOST:
            break
        if (entry := _entry(check)) is not None:
            entries.append(entry)
    return {"missed_values": entries} if entries else {}


def _checks(holder: Mapping[str, Any], depth: int) -> Iterator[Mapping[str, Any]]:
    """Records with both sides, anywhere in what the verifier left on the row."""
    for number, (name, value) in enumerate(holder.items()):
        if number >= WIDEST or (not depth and name in _HEAVY):
            continue
        if isinstance(value, list) and value and isinstance(value[0], dict):
            yield from (entry for entry in value[:WIDEST] if isinstance(entry, dict) and side_of(entry, WANTED))
        elif isinstance(value, dict):
            if side_of(value, WANTED) and side_of(value, GOT):
                yield value
            elif depth < DEEPEST:
                yield from _checks(value, depth + 1)


def _entry(check: Mapping[str, Any]) -> list[Any] | None:
    """A check that failed: its name, the fields that differ, how many are right; None where it did not fail."""
    wanted_name, got_name = side_of(check, WANTED), side_of(check, GOT)
    if not got_name or any(value is True for name, value in check.items() if name.casefold() in _MET):
        return None
    wanted, got = check[wanted_name], check[got_name]
    name = next((value for kind in _KINDS if isinstance(value := check.get(kind), str) and len(value) <= SHORT), "")
    if wanted in (None, "", [], {}) or wanted == got:
        return None
    if got in (None, "", {}, []) and not isinstance(wanted, list):
        return [name, NOTHING, 0]
    if isinstance(wanted, dict):
        if not isinstance(got, dict):
            return None
        unlike = [(field, value, got[field]) for field, value in wanted.items() if field in got and got[field] != value]
        right = sum(field in got and got[field] == value for field, value in wanted.items())
        fields = [[clip(str(field), SHORT), value_text(one), value_text(other)] for field, one, other in unlike]
        return [name, fields[:MOST_FIELDS], right] if unlike else None
    if isinstance(got, dict):
        return None
    return [name, [["", value_text(wanted), value_text(got)]], 0]


def value_text(value: Any) -> str:
    """A value in short; of an address the path, with its numbers masked, as every rollout has its own."""
    text = value if isinstance(value, str) else canonical(value).decode()
    if (host := _HOST.match(text)) is not None:
        text = _NUMBER.sub("…", text[host.end() :] or "/")
    return clip(" ".join(text.split()), SHORT)
