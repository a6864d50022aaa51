"""What a dataset says of a task in a word or two: fields that may be slices."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Any

LONGEST = 60
MOST = 30
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_ANSWERS = frozenset(
    "answer answers target targets label gold golden solution solutions expected truth reference choice choices option "
    "options correct incorrect canary".split()
)
"""Words of fields that hold the expected answer, or what may be chosen."""


def task_fields(record: Any, without: Collection[str] = ()) -> dict[str, Any]:
    """The short values of a dataset's row, but for expected answers and what is named in `without`."""
    fields: dict[str, Any] = {}
    for key, value in record.items() if isinstance(record, Mapping) else ():
        if isinstance(value, str):
            if not value or len(value) > LONGEST:
                continue
        elif not isinstance(value, (int, float)):
            continue
        name = str(key)
        if name not in without and not _speaks_of_answers(name):
            fields[name] = value
            if len(fields) == MOST:
                break
    return fields


@lru_cache(maxsize=4096)
def _speaks_of_answers(name: str) -> bool:
    """By the words of the name; names repeat on every row."""
    return not _ANSWERS.isdisjoint(word.lower() for word in _WORDS.findall(name))
