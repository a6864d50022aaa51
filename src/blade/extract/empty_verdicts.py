"""A verdict that is empty: the field in which other rows record how they were evaluated holds nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.field_roles import where
from blade.extract.names import words

_HOLDERS = ("verifier", "verifier_result", "verifier_metadata", "info")
_VERDICT = frozenset("reward verdict evaluation evaluations result results grade grading score scores".split())
MOST = 4


def empty_verdicts(attempt: Attempt) -> dict[str, Any]:
    """`empty_verdicts`: dotted names of objects that are named as a verdict and hold nothing, of rows that lost points.

    An empty list is no such object: nothing may have been to list.
    """
    names = [name for name, value in _objects(attempt.row) if not value] if attempt.lost else []
    return {"empty_verdicts": names[:MOST]} if names else {}


def verdict_object(row: dict[str, Any], name: str) -> dict[str, Any] | None:
    """The object of that dotted name; None where the row has none."""
    return dict(_objects(row)).get(name)


def _objects(row: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for prefix, holder in (("", row), *((f"{name}.", row.get(name)) for name in _HOLDERS)):
        if isinstance(holder, dict):
            for key in where(holder, _is_verdict):
                if isinstance(value := holder[key], dict):
                    yield prefix + key, value


def _is_verdict(name: str) -> bool:
    return not _VERDICT.isdisjoint(words(name))
