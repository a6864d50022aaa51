"""What rollouts cost and how long they took, where the rows say so; nothing is worked out from prices or guessed.

A row may tell it in its usage, in what an observer of its model calls recorded, or in a field of its own. Of several
fields the one is taken that speaks of the agent or the model, then the one that most rows have. A time that is the
same on every row is a placeholder and no time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any

import polars as pl

from blade.counting.columns import Column
from blade.counting.durations import spans
from blade.extract.names import words

USAGE_COST, CALL_SECONDS = "response.usage.cost", "ng_model_call_capture.metrics.latency_total_ms"
FEWEST_TIMED = 5
_MONEY = frozenset({"cost", "costs"})
_SPAN = frozenset({"duration", "dur", "latency", "elapsed", "runtime", "walltime"})
_CLOCK = frozenset({"run", "wall", "execution", "generation", "gen", "agent", "rollout", "total"})
_UNITS = frozenset({"s", "sec", "secs", "seconds", "ms", "msec", "milliseconds", "time"})
_MILLISECONDS = frozenset({"ms", "msec", "milliseconds"})
_MOMENTS = frozenset("start started end ended finish finished completed stopped".split())
_OF_THE_MODEL = frozenset("agent model llm generation gen rollout completion".split())
_OF_ALL = frozenset("total accumulated usd instance".split())
_HOLDERS = frozenset("usage metrics stats result info timing agent model metadata".split())
_OF_OTHERS = frozenset(
    "user judge judges verifier verification verify eval evaluation test tests tool tools queue sandbox setup patch "
    "collection docker build environment install ttft first created start started end ended timeout timed limit max "
    "budget per unit avg average mean median min price input output cached remaining allowed expected".split()
)


def spending(rows: pl.DataFrame, columns: Sequence[Column]) -> dict[str, Any]:
    """`cost` and `seconds`: where it is told, medians over all, passes and fails with their n, the total; else null.

    `rows` are all rows of a run, copies included, as `columns` were made of them; counted ones alone are summed up.
    """
    height = rows.height
    costs = chain([(USAGE_COST, rows["cost"])], _named_columns(columns, height, _cost_rank))
    captured = [(CALL_SECONDS, rows["call_seconds"])]
    seconds = chain(captured, _named_columns(columns, height, _time_rank), _between(columns, height))
    varying = ((name, values) for name, values in seconds if not _is_placeholder(values))
    return {"cost": _statistics(rows, costs), "seconds": _statistics(rows, varying)}


def _is_placeholder(seconds: pl.Series) -> bool:
    """Whether one number stands for the time of every row: no two attempts take the same time to the last digit."""
    known = seconds.drop_nulls()
    return known.len() >= FEWEST_TIMED and known.n_unique() == 1


def tells_seconds(field: str) -> bool:
    """Whether a field by its name holds the time that a rollout took."""
    return _time_rank(field) < 9


def _statistics(rows: pl.DataFrame, places: Iterable[tuple[str, pl.Series]]) -> dict[str, Any] | None:
    for field, values in places:
        counted_rows = rows.select("counted", "passed", values.alias("value")).filter("counted")
        measured = counted_rows.filter(pl.col("value") > 0)
        if not measured.height:
            continue
        groups = {"all": measured, "pass": measured.filter("passed"), "fail": measured.filter(~pl.col("passed"))}
        medians = {name: {"median": group["value"].median(), "n": group.height} for name, group in groups.items()}
        return {
            "field": field,
            **medians,
            "total": measured["value"].sum(),
            "unknown": counted_rows.height - measured.height,
        }
    return None


def _named_columns(columns: Sequence[Column], height: int, rank: Any) -> Iterator[tuple[str, pl.Series]]:
    """The fields that tell it, the best first, as numbers by row."""
    fields = [(place, -column.numbers(), column.name, column) for column in columns if (place := rank(column.name)) < 9]
    for *_, column in sorted(fields, key=lambda field: field[:3]):
        scale = 1e-3 if rank is _time_rank and _MILLISECONDS & set(words(column.name)) else 1.0
        numbers = [_number(value, scale) for value in column.values]
        values: list[float | None] = [None] * height
        for row, code in zip(column.rows.tolist(), column.codes.tolist(), strict=True):
            values[row] = numbers[code]
        yield column.name, pl.Series(values, dtype=pl.Float64)


def _between(columns: Sequence[Column], height: int) -> Iterator[tuple[str, pl.Series]]:
    """What passed between the start and the end of the agent, else of the whole attempt."""
    moments: dict[int, dict[str, Any]] = {}
    for column in columns:
        if not _MOMENTS.isdisjoint(words(column.name)):
            for row, code in zip(column.rows.tolist(), column.codes.tolist(), strict=True):
                moments.setdefault(row, {})[column.name] = column.values[code]
    seconds: dict[str, list[float | None]] = {}
    for row, fields in moments.items():
        for name, (start, end) in spans(fields):
            seconds.setdefault(name, [None] * height)[row] = end - start
    for name in sorted(seconds, key=lambda name: (_OF_THE_MODEL.isdisjoint(_path(name)), name)):
        if _OF_OTHERS.isdisjoint(_path(name)):
            yield f"{name}, from start to end", pl.Series(seconds[name], dtype=pl.Float64)


def _number(value: Any, scale: float) -> float | None:
    return scale * value if isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0 else None


@lru_cache(maxsize=4096)
def _cost_rank(name: str) -> int:
    """0 for the cost of the agent or the model, 1 for that of the whole attempt, 9 for all else.

    A bare `cost` may be a property of the task; inside what holds usage or results it is none.
    """
    path = _path(name)
    if not _MONEY & set(words(name)) or _OF_OTHERS & path:
        return 9
    if _OF_THE_MODEL & path:
        return 0
    return 1 if _OF_ALL & path or _HOLDERS & (path - set(words(name))) - {"metadata"} else 9


@lru_cache(maxsize=4096)
def _time_rank(name: str) -> int:
    """0 for the time of the agent or the model, 1 for that of the whole attempt, 9 for all else."""
    last, path = set(words(name)), _path(name)
    spans = bool(_SPAN & last) or bool(_CLOCK & last and _UNITS & last)
    if not spans or _OF_OTHERS & path:
        return 9
    return 0 if _OF_THE_MODEL & path or "latency" in last else 1


def _path(name: str) -> set[str]:
    """The words of all parts of a dotted name."""
    return {word for part in re.split(r"(?<!\\)\.", name) for word in words(part)}
