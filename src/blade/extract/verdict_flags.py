"""What a row itself says of its checks: booleans that tell of success, and counts of which all were met."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from blade.extract.field_roles import where
from blade.extract.names import is_pass_flag, words

ALMOST_ONE = "almost one"
"""What a reward is called that rounding kept below one: it contradicts no field."""
_SUCCESS = frozenset("correct pass passed passes resolved solved success successful succeeded satisfied met".split())
_AGAINST = frozenset("not no never fail fails failed failure error errors incorrect wrong".split())
_WHOLE = frozenset("is_passed all_correct".split())
_MET = frozenset("correct passed pass met satisfied".split())
_TOTAL = frozenset("total all count".split())


def verdict_flags(fields: Mapping[str, Any]) -> dict[str, bool]:
    """Every boolean whose name tells of success: `resolved`, `is_correct_plus`, `verifier.tests_passed`."""
    return {name: fields[name] for name in where(fields, is_verdict_flag) if isinstance(fields[name], bool)}


def all_met(fields: Mapping[str, Any]) -> dict[str, bool]:
    """For every pair of counts of one thing, how many were met and how many there are: whether all were."""
    return {count_field: fields[count_field] == fields[total] for count_field, total in count_pairs(fields)}


@lru_cache(maxsize=65536)
def is_verdict_flag(name: str) -> bool:
    have = set(words(name))
    return is_pass_flag(name) or (bool(have & _SUCCESS) and not have & _AGAINST)


@lru_cache(maxsize=65536)
def claims_the_pass(name: str) -> bool:
    """A flag that by its name is the whole verdict, and not the outcome of one check among others."""
    return is_pass_flag(name) or name.rsplit(".", 1)[-1] in _WHOLE


def count_pairs(fields: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Pairs of fields of one thing: how many were met, and how many there are."""
    count_fields: dict[tuple[str, ...], str] = {}
    total: dict[tuple[str, ...], str] = {}
    for name in where(fields, _counts_something):
        value = fields[name]
        if isinstance(value, int) and not isinstance(value, bool):
            counts, stem = _count_and_stem(name)
            if counts == "met":
                count_fields[stem] = name
            elif counts == "total":
                total[stem] = name
    return [(name, total[stem]) for stem, name in count_fields.items() if stem in total and fields[total[stem]] > 0]


@lru_cache(maxsize=65536)
def _count_and_stem(name: str) -> tuple[str, tuple[str, ...]]:
    """Whether a field counts what was met or all there is, and of which thing."""
    parts = words(name)
    prefix = name.rpartition(".")[0]
    for counts, marks in (("met", _MET), ("total", _TOTAL)):
        if marks.intersection(parts):
            return counts, (prefix, *(part for part in parts if part not in marks))
    return "", ()


def _counts_something(name: str) -> bool:
    return bool(_count_and_stem(name)[0])
