"""Keys that changed: the same task with another expected answer.

Where a verifier compares the extracted answer with the key (seen in the rows themselves), rows can be scored under the
other run's key, and the change of the key is taken out of the change of behaviour exactly.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from blade.change.pair import Pair

AGREES = 0.95
FEWEST_ROWS = 20


@dataclass(frozen=True, slots=True)
class Regraded:
    """Rewards under the other run's keys; tasks whose key did not change keep theirs."""

    tasks: frozenset[str]
    rescored_a: tuple[float, ...]
    rescored_b: tuple[float, ...]


def changed_keys(pair: Pair) -> Regraded | None:
    """None where no key changed, or where the rows do not show that the verifier compares answers with keys."""
    left, right = _keys(pair.a), _keys(pair.b)
    changed = frozenset(task for task in left.keys() & right.keys() if left[task] != right[task])
    if not changed or not (_compares(pair.a) and _compares(pair.b)):
        return None
    return Regraded(changed, _scores(pair.a, right, changed), _scores(pair.b, left, changed))


def _keys(frame: pl.DataFrame) -> dict[str, str]:
    told = frame.filter(pl.col("gold").is_not_null()).select("key", "gold").unique(maintain_order=True)
    return {key: _plain(gold) for key, gold in told.rows()}


def _compares(frame: pl.DataFrame) -> bool:
    """Whether a row passes just where its answer is its key."""
    rows = frame.filter(pl.col("answer").is_not_null() & pl.col("gold").is_not_null() & pl.col("passed").is_not_null())
    if rows.height < FEWEST_ROWS:
        return False
    told = [
        (_plain(answer) == _plain(gold)) is passed
        for answer, gold, passed in rows.select("answer", "gold", "passed").rows()
    ]
    return sum(told) >= AGREES * len(told)


def _scores(frame: pl.DataFrame, keys: Mapping[str, str], changed: frozenset[str]) -> tuple[float, ...]:
    rows = frame.select("key", "answer", "reward").rows()
    return tuple(
        float(answer is not None and _plain(answer) == keys[key]) if key in changed else reward
        for key, answer, reward in rows
    )


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
