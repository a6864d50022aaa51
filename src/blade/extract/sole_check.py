"""The key and the answer of a row that has one check, which records what it wanted and what it got.

Such rows name no expected answer: `checks: [{"kind": "answer", "want": "12", "got": "14", "ok": false}]`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from blade.extract.answer_key import LONGEST
from blade.extract.names import words

DEEPEST, WIDEST = 3, 60
_HEAVY = frozenset({"responses_create_params", "response"})
WANTED = frozenset("want wanted expected expect reference ref gold golden target key desired required truth".split())
GOT = frozenset("got actual received given saw seen found observed have read submitted predicted".split())
_MADE = frozenset("norm normed normal normalized normalised canonical canon clean cleaned parsed type kind".split())
"""What a verifier makes of a value: the value as it was written stands beside it."""
_GIVEN = frozenset("input inputs stdin".split())
"""A check that names what went into it is the test of a program."""


class SoleCheck(NamedTuple):
    key_field: str
    key: Any
    answer_field: str
    answer: Any


def sole_check(row: Mapping[str, Any]) -> SoleCheck | None:
    """The one check of a row with both sides; None where there are several, or none."""
    checks = list(_checks(row, "", 0))
    if len(checks) != 1 or checks[0] is None:
        return None
    field, check = checks[0]
    if not any(isinstance(value, bool) for value in check.values()) or not _GIVEN.isdisjoint(check):
        return None
    wanted, got = side_of(check, WANTED), side_of(check, GOT)
    if not wanted or not got or not _is_plain(check[wanted]) or not (check[got] is None or _is_plain(check[got])):
        return None
    return SoleCheck(f"{field}.{wanted}", check[wanted], f"{field}.{got}", check[got])


def side_of(check: Mapping[str, Any], names: frozenset[str]) -> str:
    """The field of a check that holds one of its sides, as it was written where that is kept; empty where none does."""
    fields = [(name, parts) for name in check if (parts := words(name)) and parts[0] in names]
    plain = [(name, parts) for name, parts in fields if _MADE.isdisjoint(parts)]
    return min(plain, key=lambda field: ("raw" not in field[1], len(field[1])), default=("", ()))[0]


def _checks(holder: Mapping[str, Any], prefix: str, depth: int) -> Iterator[tuple[str, Mapping[str, Any]] | None]:
    """The entries of lists that record both sides of a check; None for each beside the first of its list."""
    for number, (name, value) in enumerate(holder.items()):
        if number >= WIDEST or (not depth and name in _HEAVY):
            continue
        if isinstance(value, dict) and depth < DEEPEST:
            yield from _checks(value, f"{prefix}{name}.", depth + 1)
        elif isinstance(value, list) and value and isinstance(value[0], dict) and side_of(value[0], WANTED):
            yield (f"{prefix}{name}", value[0]) if len(value) == 1 else None


def _is_plain(value: Any) -> bool:
    return isinstance(value, (str, int, float)) and not isinstance(value, bool) and 0 < len(str(value)) <= LONGEST
