"""The rows of one run as the source's own aggregation sees them."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

import orjson

from blade.frozen import frozen
from blade.late_regex import late_regex

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

_NESTED = late_regex(r"(?<!\\)\.")
_ANSWER = late_regex(r"answer|extract|predict|pred_|choice|verdict|parsed|_sql|_code", re.IGNORECASE)
_INDEX_KEYS = frozenset({"_ng_task_index", "_ng_rollout_index"})
_USAGE = {"input_tokens": "input_tokens", "output_tokens": "output_tokens"}
_CHAT_USAGE = {"input_tokens": "prompt_tokens", "output_tokens": "completion_tokens"}


@frozen
class ScoredRow:
    """One rollout with the values that an aggregate is made of.

    `numbers` holds every top-level number or boolean of the row with the numeric usage keys laid over it, without the
    two index keys; `answers` the fields that may hold the extracted answer; `fields` the short scalars of the row.
    """

    agent: str | None
    task: int
    attempt: int
    line: int
    reward: float | None
    numbers: Mapping[str, float]
    answers: Mapping[str, str | None]
    fields: Mapping[str, object]


def as_number(value: object) -> float | None:
    """The value as a float where it is a JSON number or boolean, else nothing."""
    if not isinstance(value, bool | int | float):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def rows_from_facts(facts: pl.DataFrame) -> list[ScoredRow]:
    """Builds the rows from the columns of the facts, in line order."""
    columns = ["file", "line", "agent", "task_index", "attempt_index", "reward", "answer", "answer_state"]
    columns += ["usage_state", "input_tokens", "output_tokens", "total_tokens", "cost", "fields"]
    ordered = facts.select(columns).sort("file", "line", maintain_order=True)
    return [_row_from_fact(fact) for fact in ordered.iter_rows(named=True)]


def _row_from_fact(fact: Mapping[str, Any]) -> ScoredRow:
    fields = _fields(fact["fields"])
    top = {_plain(name): value for name, value in fields.items() if not _NESTED.search(name)}
    numbers = {name: number for name, value in top.items() if (number := as_number(value)) is not None}
    if fact["reward"] is not None:
        numbers.setdefault("reward", fact["reward"])
    numbers |= _usage(fact)
    answers = {
        name: None if value is None else str(value)
        for name, value in top.items()
        if _ANSWER.search(name) and (value is None or isinstance(value, str))
    }
    if fact["answer_state"] in ("given", "null"):
        answers["answer"] = fact["answer"]
    return ScoredRow(
        agent=fact["agent"],
        task=fact["task_index"] or 0,
        attempt=fact["attempt_index"] or 0,
        line=fact["line"] or 0,
        reward=fact["reward"],
        numbers={name: number for name, number in numbers.items() if name not in _INDEX_KEYS},
        answers=answers,
        fields={_plain(name): value for name, value in fields.items()},
    )


def _fields(text: str | None) -> dict[str, object]:
    try:
        fields = orjson.loads(text or "{}")
    except orjson.JSONDecodeError:
        return {}
    return fields if isinstance(fields, dict) else {}


def _plain(name: str) -> str:
    """The name as the row spells it: a literal dot of a top-level key is stored escaped."""
    return name.replace("\\.", ".")


def _usage(fact: Mapping[str, Any]) -> dict[str, float]:
    names = _CHAT_USAGE if fact["usage_state"] == "chat" else _USAGE
    columns = {**names, "total_tokens": "total_tokens", "cost": "cost"}
    return {name: fact[column] for column, name in columns.items() if fact[column] is not None}
