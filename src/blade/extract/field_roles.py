"""What the names of a row's fields tell, worked out once for all rows that have the same fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from blade.extract.names import (
    answer_rank,
    flag_status,
    is_error_text,
    is_exit_code,
    is_gold,
    is_metadata,
    tells_the_end,
    turn_count,
    words,
)
from blade.extract.text import clean
from blade.wording import LONGEST_NAME

Names = tuple[str, ...]
Named = tuple[tuple[str, str], ...]
HEAVY = {"responses_create_params", "response", "judge_evaluations", "judge_response", "judge_responses_create_params"}
_STAMPS = {"_ng_task_index", "_ng_rollout_index", "_translated"}
WIDE = 256
"""Objects with more keys are seldom alike, and would only take room."""
REMEMBERED = 512


class FieldRoles(NamedTuple):
    """The keys of a row, or of an object in it, that matter."""

    short: Named
    """Those whose values may be kept as short fields, with the names of the fields."""
    errors: frozenset[str]
    """Those whose names tell of errors."""
    gold: Names
    answer: tuple[int, str] | None
    """The key that most likely holds what the verifier extracted, after its rank."""


class Telling(NamedTuple):
    """The short fields that matter, by their dotted names."""

    trouble: Names
    turns: Named
    """Each with `limit` or `used`."""
    metadata: Names


def shape_of(holder: Mapping[str, Any]) -> FieldRoles:
    keys = tuple(holder)
    return _kept_shape(keys) if len(keys) <= WIDE else _shape(keys)


def telling(fields: Mapping[str, Any]) -> Telling:
    names = tuple(fields)
    return _kept_telling(names) if len(names) <= WIDE else _telling(names)


def where(holder: Mapping[str, Any], test: Callable[[str], object]) -> Names:
    """The names of which a test is true; remembered, as most rows have the same names."""
    names = tuple(holder)
    return _kept_where(test, names) if len(names) <= WIDE else _where(test, names)


def words_in(holder: Mapping[str, Any]) -> frozenset[str]:
    """The words of all names of an object."""
    names = tuple(holder)
    return _kept_words(names) if len(names) <= WIDE else _words(names)


def dotted(prefix: str, holder: Mapping[str, Any]) -> Named:
    """The keys of an object, each with its dotted name."""
    keys = (prefix, *holder)
    return _kept_dotted(keys) if len(keys) <= WIDE else _dotted(keys)


def errors_in(prefix: str, holder: Mapping[str, Any]) -> Named:
    """The keys of an object whose names tell of errors, with their dotted names."""
    keys = (prefix, *holder)
    return _kept_errors(keys) if len(keys) <= WIDE else _errors(keys)


@lru_cache(maxsize=65536)
def field_name(key: str) -> str:
    """A key as one part of a dotted name, in characters that can be written; of one longer than any name its head."""
    return clean(key[:LONGEST_NAME].replace(".", "\\."))


def _shape(keys: Names) -> FieldRoles:
    ranked = [(rank, place, key) for place, key in enumerate(keys) if (rank := answer_rank(key)) is not None]
    best = min(ranked, default=None)
    short = tuple(
        (key, field_name(key)) for key in keys if key not in HEAVY and key not in _STAMPS and not key.startswith("ng_")
    )
    errors = frozenset(key for key in keys if is_error_text(field_name(key)))
    return FieldRoles(short, errors, tuple(filter(is_gold, keys)), (best[0], best[2]) if best else None)


def _telling(names: Names) -> Telling:
    return Telling(
        tuple(
            name
            for name in names
            if is_error_text(name) or flag_status(name) is not None or is_exit_code(name) or tells_the_end(name)
        ),
        tuple((name, counts) for name in names if (counts := turn_count(name))),
        tuple(filter(is_metadata, names)),
    )


def _where(test: Callable[[str], object], names: Names) -> Names:
    return tuple(filter(test, names))


def _words(names: Names) -> frozenset[str]:
    return frozenset(word for name in names for word in words(name))


def _dotted(keys: Names) -> Named:
    return tuple((key, f"{keys[0]}.{field_name(key)}") for key in keys[1:])


def _errors(keys: Names) -> Named:
    return tuple((key, name) for key, name in _dotted(keys) if is_error_text(name))


_kept_shape = lru_cache(maxsize=REMEMBERED)(_shape)
_kept_telling = lru_cache(maxsize=REMEMBERED)(_telling)
_kept_where = lru_cache(maxsize=REMEMBERED * 4)(_where)
_kept_words = lru_cache(maxsize=REMEMBERED)(_words)
_kept_dotted = lru_cache(maxsize=REMEMBERED)(_dotted)
_kept_errors = lru_cache(maxsize=REMEMBERED)(_errors)
