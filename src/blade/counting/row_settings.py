"""Settings that the rows of a run repeat: fields with one value on every row, which are no outcome and no address."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import orjson

from blade.counting.columns import Column
from blade.extract.names import is_gold, is_outcome, words
from blade.late_regex import late_regex

FEWEST_ROWS = 5
LONGEST = 80
OF_THE_PLACE = frozenset(
    "output outputs log logs result results save host hostname port url uri run wandb experiment project id uuid time "
    "date timestamp cache tmp workers concurrency node job".split()
)
"""Words of settings that say where and when a run was made and where it wrote: they differ between any two."""
_OF_THE_WORKERS = frozenset("workers concurrency parallel node job cache id index time".split())
"""Words of limits that say how a run was made, and bind no agent."""
_OF_THE_RECORD = frozenset("seed index has source file submission session version date user batch part shard".split())
"""Words of fields that tell one run from its repeats, or how it was written down, and set nothing."""
_LIMITS = frozenset("limit limits max maximum cap budget quota ceiling allowed allowance".split())
_OF_WHAT_HAPPENED = frozenset("used left remaining reached hit exceeded spent over taken actual".split())
"""Words of fields that say what is allowed, whatever they count, and of those that say what came of it."""
_ELSEWHERE = ("verifier.", "reward_info.", "result.", "results.", "verifier_result.", "response", "responses_")
"""Fields of the verdict, and of the request and its answer, which are read by themselves."""
_ADDRESS = late_regex(r"[/\\]|\d{6,}|\d{4}-\d\d|\b[0-9a-f]{8,}\b|\d:\d\d")
"""A path, a stamp of time or a hash: two repeats never share one."""


def row_settings(columns: Sequence[Column], rows: int) -> dict[str, Any]:
    """Name and value of every such field; none of a run of few rows, in which any field may seem constant."""
    if rows < FEWEST_ROWS:
        return {}
    return {
        column.name: column.values[0]
        for column in columns
        if len(column.values) == 1 and len(column.rows) == rows and _is_setting(column.name, column.values[0])
    }


def limit_settings(columns: Sequence[Column], rows: int, sampling: Iterable[str | None]) -> dict[str, float]:
    """Name and value of every limit that all rows state alike, in fields or in the request (`sampling`)."""
    settings = row_settings(columns, rows)
    if rows >= FEWEST_ROWS:
        settings |= sampling_settings(sampling)
    return {name: value for name, value in settings.items() if _is_limit(name, value)}


def sampling_settings(sampling: Iterable[str | None]) -> dict[str, Any]:
    """Name and value of everything that all requests of a run asked of the model alike; nothing where they differ."""
    texts = {text for text in sampling if text}
    return dict(orjson.loads(texts.pop())) if len(texts) == 1 else {}


def _is_setting(name: str, value: Any) -> bool:
    if value is None or name.startswith(("_", *_ELSEWHERE)) or is_gold(name):
        return False
    if is_outcome(name) and not _is_limit(name, value):
        return False
    if isinstance(value, bool) and not (_LIMITS.isdisjoint(words(name)) or _OF_WHAT_HAPPENED.isdisjoint(words(name))):
        return False
    own_place = _OF_THE_WORKERS if _is_limit(name, value) else OF_THE_PLACE | _OF_THE_RECORD
    if not own_place.isdisjoint(words(name)):
        return False
    if isinstance(value, str):
        return 0 < len(value) <= LONGEST and not _ADDRESS.search(value)
    return "." in name


def _is_limit(name: str, value: Any) -> bool:
    of_name = frozenset(words(name))
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and not _LIMITS.isdisjoint(of_name) and _OF_WHAT_HAPPENED.isdisjoint(of_name)
