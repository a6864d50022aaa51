"""Calls made again and again: the same tool with the same arguments, and the same answer each time."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from blade.extract.calls import Call
from blade.extract.names import words

OFTEN = 3
_LONG = 2_000
_WAITS = frozenset("wait poll sleep refresh scroll next page status ping tick noop step".split())


@lru_cache(maxsize=4096)
def waits(name: str) -> bool:
    """Whether a tool is made to be called again: waiting, polling, turning pages."""
    return bool(set(words(name)) & _WAITS)


def repeated(calls: Sequence[Call]) -> list[list[Call]]:
    """Runs of at least three equal calls with equal answers and no other change in between, in order of their start."""
    if not _may_repeat(calls):
        return []
    runs: dict[bytes, list[Call]] = {}
    runs_of_calls: list[list[Call]] = []
    for call in calls:
        if waits(call.name):
            continue
        run = runs.get(call.key)
        if call.changes:
            runs = {call.key: run} if run else {}
        if run and _answer(run[-1]) == _answer(call):
            run.append(call)
            if len(run) == OFTEN:
                runs_of_calls.append(run)
        elif call.answers:
            runs[call.key] = [call]
    return sorted(runs_of_calls, key=lambda run: run[0].place)


def _may_repeat(calls: Sequence[Call]) -> bool:
    """Whether a tool gave the same answer often enough, or a long one of the same length."""
    answered: dict[tuple[str, str | int], int] = {}
    for call in calls:
        if call.answer is not None:
            text = call.answer.text
            key = (call.name, text if len(text) < _LONG else len(text))
            answered[key] = answered.get(key, 0) + 1
    return bool(answered) and max(answered.values()) >= OFTEN


def _answer(call: Call) -> str | None:
    return call.answer.text if call.answer else None
