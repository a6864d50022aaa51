"""What stands beside the reward of a row and tells its verdict: numbers, true and false, a few words, marks.

How words and marks are meant is learned from the run whose verdicts they tell.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import orjson
import polars as pl

from blade.change.pair import Pair
from blade.counting.columns import Column
from blade.counting.run import Run
from blade.extract.names import VERIFIER, words
from blade.frozen import frozen
from blade.model import Status

FULL, NOTHING = 1.0, 0.0
BASE, CANDIDATE = 0, 1
TOLD = 0.95
"""The share of rows that a field must tell of."""
MOST_WORDS = 8
FEWEST_ROWS = 5
FEWEST_TASKS = 3
Values = list[Any]
Told = list[float | None]
"""Per row what is said of its reward; None where nothing is."""
Sides = tuple[Told, Told]
"""The same for both runs."""
Rewards = tuple[Sequence[float], Sequence[float]]


def field_values(run: Run, frame: pl.DataFrame) -> dict[str, Values]:
    """Every short field: its value on each row of the frame."""
    places = {place: at for at, place in enumerate(frame.select("file", "line").rows())}
    owners = [places.get(place) for place in run.facts.select("file", "line").rows()]
    return {column.name: _spread(column, owners, frame.height) for column in run.columns}


def _spread(column: Column, owners: list[int | None], height: int) -> Values:
    values: Values = [None] * height
    for row, code in zip(column.rows.tolist(), column.codes.tolist(), strict=True):
        at = owners[row]
        if at is not None:
            values[at] = column.values[code]
    return values


def of_verifier(name: str) -> bool:
    """Whether a part of a dotted name is a word for a verifier."""
    return any(not VERIFIER.isdisjoint(words(part)) for part in name.split("."))


def verdict_fields(pair: Pair, rewards: Rewards) -> Iterator[tuple[int, str, Sides]]:
    """Every field that tells of nearly all rows: the run whose verdicts it is read by, its name, what it tells."""
    left, right = field_values(pair.base, pair.a), field_values(pair.candidate, pair.b)
    ended = _ended(pair)
    differing: dict[str, list[Values] | None] = {}
    for judging_side in BASE, CANDIDATE:
        binary = set(rewards[judging_side]) <= {NOTHING, FULL}
        for name in sorted((left.keys() & right.keys()) - {"reward"}):
            values = left[name], right[name]
            plain = _sides([_as_reward(value, binary=binary) for value in side] for side in values)
            if all(_tells(side, [True] * len(side)) for side in plain):
                yield judging_side, name, plain
            if not binary or {*plain[BASE], *plain[CANDIDATE]} == {NOTHING, FULL}:
                continue
            if name not in differing:
                differing[name] = _differing(pair, values, ended)
            for sides in _learned(name, differing[name], rewards, judging_side):
                if all(_tells(side, row_ended) for side, row_ended in zip(sides, ended, strict=True)):
                    yield judging_side, name, sides


def checks_met(frame: pl.DataFrame) -> Told:
    """Whether a row that lists its checks meets them all."""
    listed = [orjson.loads(text) if text else None for text in frame["checks"].to_list()]
    return [float(all(checks.values())) if checks else None for checks in listed]


def _sides(sides: Iterator[Told]) -> Sides:
    left, right = sides
    return left, right


def _tells(values: Told, rows: Sequence[bool]) -> bool:
    states_value = [value is not None for value, counts in zip(values, rows, strict=True) if counts]
    return bool(states_value) and sum(states_value) >= TOLD * len(states_value)


def _as_reward(value: Any, *, binary: bool) -> float | None:
    """Numbers from 0 to 1 as they are; true and false where rewards are 0 and 1."""
    if isinstance(value, bool):
        return float(value) if binary else None
    return float(value) if isinstance(value, (int, float)) and NOTHING <= value <= FULL else None


def _ended(pair: Pair) -> list[list[bool]]:
    """The rows of both runs that ended by themselves: how an attempt ended is no verdict."""
    return [[state == Status.OK.value for state in frame["state"].to_list()] for frame in (pair.a, pair.b)]


def _differing(pair: Pair, values: tuple[Values, Values], ended: Sequence[Sequence[bool]]) -> list[Values] | None:
    """The values of rows that ended by themselves; None of a field that never differs between the attempts of a task.

    Such a field is the task's and no verdict.
    """
    ended_values = [
        [value if ok else None for value, ok in zip(*side, strict=True)] for side in zip(values, ended, strict=True)
    ]
    return ended_values if _differs_inside_tasks(pair, ended_values) else None


def _learned(name: str, field_values: list[Values] | None, rewards: Rewards, judging_side: int) -> Iterator[Sides]:
    """A few words, or marks, read as the known run has them.

    Words that only one run uses are no verdict. Marks must part passes from failures in the other run as well, by
    another bar, unless they are a verifier's by name: so does no count of steps.
    """
    if field_values is None:
        return
    meanings = _word_meanings(field_values[judging_side], rewards[judging_side])
    word_verdicts = _sides(
        [meanings.get(value) if isinstance(value, str) else None for value in side] for side in field_values
    )
    if all(side.count(verdict) >= FEWEST_ROWS for side in word_verdicts for verdict in (NOTHING, FULL)):
        yield word_verdicts
    for sign in (1.0, -1.0):
        bars = [_bar(side, side_rewards, sign) for side, side_rewards in zip(field_values, rewards, strict=True)]
        bar = bars[judging_side]
        if bar and (all(bars) or of_verifier(name)):
            yield _sides([bar.verdict(value) for value in side] for side in field_values)


def _differs_inside_tasks(pair: Pair, values: Sequence[Values]) -> bool:
    task_values: defaultdict[str, set[str]] = defaultdict(set)
    for frame, side in zip((pair.a, pair.b), values, strict=True):
        for task, value in zip(frame["key"].to_list(), side, strict=True):
            if value is not None:
                task_values[task].add(str(value))
    return sum(len(different) > 1 for different in task_values.values()) >= FEWEST_TASKS


def _word_meanings(values: Values, rewards: Sequence[float]) -> dict[str, float]:
    """What most rows with a word were given; nothing where there are many words, or only one verdict."""
    word_rewards: defaultdict[str, Counter[float]] = defaultdict(Counter)
    for value, reward in zip(values, rewards, strict=True):
        if isinstance(value, str):
            word_rewards[value][reward] += 1
            if len(word_rewards) > MOST_WORDS:
                return {}
    meanings = {word: counts.most_common(1)[0][0] for word, counts in word_rewards.items()}
    return meanings if len(set(meanings.values())) > 1 else {}


@frozen
class _Bar:
    """The highest mark of a failure and the lowest of a pass, marks times `sign`."""

    failing: float
    passing: float
    sign: float

    def verdict(self, value: Any) -> float | None:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return None
        mark = self.sign * value
        return FULL if mark >= self.passing else NOTHING if mark <= self.failing else None


def _bar(values: Values, rewards: Sequence[float], sign: float) -> _Bar | None:
    """Where every pass has more than any failure."""
    marks: tuple[list[float], list[float]] = ([], [])
    for value, reward in zip(values, rewards, strict=True):
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            marks[reward > NOTHING].append(sign * value)
    if min(map(len, marks)) < FEWEST_ROWS or max(marks[0]) >= min(marks[1]):
        return None
    return _Bar(max(marks[0]), min(marks[1]), sign)
