"""The course of a rollout step by step: prompt and output tokens, seconds, and how much the model writes each turn.

Rows keep such numbers in many places: a list of numbers, or a list of steps with the number somewhere inside. They are
found by their names, and only a few figures of each course are kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from itertools import pairwise
from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.names import words
from blade.extract.numbers import number

PROMPT, OUTPUT, TIME = "prompt", "output", "time"
"""Tokens that a step was given, tokens that it made, seconds that it took."""
FEWEST_STEPS = 3
DEEPEST = 4
INSIDE = 4
PROBED = 6
MOST_STEPS = 2_000
SHRINKS = 0.7
"""A prompt that is so many times as long as the one before, or shorter, was cut."""
SHORT = 8
_MODEL_ITEMS = frozenset({"function_call", "reasoning", "custom_tool_call"})
_SKIPPED = frozenset("judge judges verifier verification evaluator tests test expected params tools".split())
_PLAIN = frozenset({str, int, float, bool, type(None)})
"""What holds no course, and most values are: to know that takes less than to ask whether it is something else."""
_OTHERS = frozenset({"user", "system", "tool", "environment", "developer"})


def telemetry(attempt: Attempt) -> dict[str, Any]:
    """`steps`: [steps, shrinks, median, first, last] per course found; `turns_said`: turns, empty ones, short ones."""
    record: dict[str, Any] = {}
    courses = _courses(attempt.row)
    if courses:
        record["steps"] = {kind: _figures(values) for kind, values in courses.items()}
    if attempt.calls and (turns := _turns(attempt.row)):
        silent = [size for size, acts in turns if not acts]
        short = sum(0 < size < SHORT for size in silent)
        record["turns_said"] = [len(turns), silent.count(0), short]
    return record


def _middle(values: Sequence[float]) -> float:
    return sorted(values)[len(values) // 2]


def _figures(values: Sequence[float]) -> list[float]:
    shrinks = sum(now < SHRINKS * before for before, now in pairwise(values) if before)
    return [len(values), shrinks, round(_middle(values), 3), round(values[0], 3), round(values[-1], 3)]


def _courses(row: Mapping[str, Any]) -> dict[str, list[float]]:
    """The longest course of each kind."""
    longest: dict[str, list[float]] = {}
    for kind, values in _all_courses(row, 1):
        if len(values) >= FEWEST_STEPS and len(values) > len(longest.get(kind, ())):
            longest[kind] = values
    return longest


def _all_courses(holder: Mapping[str, Any], depth: int) -> Iterator[tuple[str, list[float]]]:
    for key, value in holder.items():
        if type(value) in _PLAIN:
            continue
        if isinstance(value, dict):
            if depth < DEEPEST and not _skips(key):
                yield from _all_courses(value, depth + 1)
        elif isinstance(value, list) and FEWEST_STEPS <= len(value) <= MOST_STEPS and not _skips(key):
            if isinstance(value[0], dict):
                yield from _of_steps(value)
            elif (kind := _kind(key)) and all(isinstance(figure, (int, float)) for figure in value):
                yield kind, [_scaled(key, float(figure)) for figure in value]


@lru_cache(maxsize=4096)
def _skips(name: str) -> bool:
    return not _SKIPPED.isdisjoint(words(name))


@lru_cache(maxsize=4096)
def _kind(name: str) -> str:
    """What a number with this name counts; empty for all else."""
    have = set(words(name))
    if have & {"token", "tokens"} and not have & {"cached", "cache", "reasoning", "max", "total", "audio", "tool"}:
        if have & {"prompt", "input", "context"}:
            return PROMPT
        return OUTPUT if have & {"completion", "output", "generated", "generation"} else ""
    if have & {"cumulative", "total", "max", "limit", "timeout", "start", "end", "created", "period", "zone"}:
        return ""
    spans = have & {"duration", "latency", "latencies", "elapsed", "seconds", "msec", "ms"}
    return TIME if spans or (have & {"time", "times"} and have & {"generation", "execution", "request", "step"}) else ""


def _scaled(name: str, value: float) -> float:
    return value / 1_000.0 if {"ms", "msec", "milliseconds"} & set(words(name)) else value


def _of_steps(steps: Sequence[Any]) -> Iterator[tuple[str, list[float]]]:
    """The courses inside a list of steps; those of others than the model are left out."""
    probed = [step for step in steps[:PROBED] if isinstance(step, dict)]
    paths = {path: kind for step in probed for path, kind in _paths(step, (), 1)}
    stamped = any("timestamp" in step for step in probed)
    if not paths and not stamped:
        return
    model_steps = [step for step in steps if isinstance(step, dict) and step.get("role") not in _OTHERS]
    model_steps = [step for step in model_steps if step.get("source") not in _OTHERS]
    for path, kind in paths.items():
        values = [value for step in model_steps if (value := number(_value_at(step, path))) is not None]
        if values:
            yield kind, [_scaled(path[-1], value) for value in values]
    stamps = [at for step in model_steps if (at := _moment(step)) is not None] if stamped else []
    if len(stamps) > FEWEST_STEPS:
        yield TIME, [later - before for before, later in pairwise(stamps) if later >= before]


def _paths(step: Mapping[str, Any], prefix: tuple[str, ...], depth: int) -> Iterator[tuple[tuple[str, ...], str]]:
    for key, value in step.items():
        if value is None or type(value) is str:
            continue
        if isinstance(value, dict):
            if depth < INSIDE and not _skips(key) and key not in {"arguments", "content"}:
                yield from _paths(value, (*prefix, key), depth + 1)
        elif isinstance(value, (int, float)) and not isinstance(value, bool) and (kind := _kind(key)):
            yield (*prefix, key), kind


def _value_at(step: Any, path: Sequence[str]) -> Any:
    for key in path:
        step = step.get(key) if isinstance(step, dict) else None
    return step


def _moment(step: Mapping[str, Any]) -> float | None:
    stamp = step.get("timestamp")
    if isinstance(stamp, (int, float)) and not isinstance(stamp, bool):
        return float(stamp)
    if isinstance(stamp, str) and stamp[:4].isdecimal():
        try:
            return datetime.fromisoformat(stamp).timestamp()
        except ValueError:
            return None
    return None


def _turns(row: Mapping[str, Any]) -> list[tuple[int, bool]]:
    """Every turn of the model: the characters it says or thinks, and whether it calls a tool."""
    answer = row.get("response")
    items = answer.get("output") if isinstance(answer, dict) else None
    turns: list[tuple[int, bool]] = []
    open_turn = False
    for item in items if isinstance(items, list) else ():
        kind = item.get("type") if isinstance(item, dict) else None
        is_message = kind == "message" and item.get("role") == "assistant"
        if not is_message and kind not in _MODEL_ITEMS:
            open_turn = False
            continue
        size, acts = _size(item) if is_message or kind == "reasoning" else 0, kind in _MODEL_ITEMS
        if open_turn:
            before, acted = turns[-1]
            turns[-1] = before + size, acted or acts
        else:
            turns.append((size, acts))
        open_turn = True
    return turns


def _size(item: Mapping[str, Any]) -> int:
    content = item.get("content") or item.get("summary")
    if isinstance(content, str):
        return len(content.strip())
    parts = content if isinstance(content, list) else ()
    if len(parts) == 1 and isinstance(parts[0], dict) and isinstance(text := parts[0].get("text"), str):
        return len(text)  # as nearly all are written
    return sum(len(part.get("text") or "") for part in parts if isinstance(part, dict) and "text" in part)
