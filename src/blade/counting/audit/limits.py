"""Limits that nobody names: many rows stop at the same largest count of turns, calls or tokens, or at one time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import polars as pl

from blade.counting.audit.time_limits import time_limits
from blade.counting.columns import Column
from blade.counting.row_settings import limit_settings
from blade.extract.names import words
from blade.frozen import frozen
from blade.model import Status

COUNTS = {
    "acts": "turns of the model",
    "calls": "calls",
    "messages": "messages",
    "items": "items",
    "output_tokens": "output tokens",
    "total_tokens": "tokens",
    "final_chars": "characters of the final message",
}
FINAL = "final_chars"
SHORTEST_FINAL, FEWEST_FINAL = 200, 5
CUT = frozenset({Status.TRUNCATED.value, Status.TIMED_OUT.value})
FEWEST = 4
SMALLEST = 5
TIMES = 3.0
"""So many times as common as the values just below it, where there are any, a largest value is a heap."""
BELOW = 0.1
ON_ANSWER, MESSAGE, USER = "output", "message", "user"
SHORT = {"acts": 10, "calls": 10, "messages": 20, "items": 20}
AS_OFTEN = 0.8
"""A largest count below these may be the usual end of the longest attempts: it is where its rows pass as often."""
FEW = 9
"""So few rows at a larger one may stand there by chance: they do where they pass at least as often as the others."""
NEARLY_ALL = 0.9
FEWEST_AT_SET = 2
"""So many rows that stop at a limit which the rows themselves state are enough: no heap needs to show it."""
_COUNTED = {
    **dict.fromkeys(("turn", "turns", "step", "steps", "iteration", "iterations", "round", "rounds"), "acts"),
    **dict.fromkeys(("call", "calls"), "calls"),
}
"""What a limit counts, by words of its name."""
NEAR = 0.5
NOT_BEGUN = frozenset({"no_trial", "not_started"})
"""Stages at which a rollout was lost before its agent did anything."""


@frozen
class Limit:
    """A count or a measure at which rows heap: its column, the value, the rows there, how many of them passed."""

    count: str
    value: float
    rows: int
    passed: int
    others: int
    others_passed: int
    """Rows below the limit, and how many of them passed."""
    named: int
    """Rows at the limit of which some field says that they were cut or timed out."""


def reached_limits(frame: pl.DataFrame, columns: Iterable[Column]) -> list[tuple[Limit, frozenset[int]]]:
    """The heaps at the largest value of each count, and of each measure among the fields, the largest first.

    Each with the places of its rows. Of two in the same rows there is one alone.
    """
    columns = list(columns)
    copies = frame["copy"].to_list()
    passes = [bool(passed) for passed in frame["passed"].to_list()]
    heaps = [
        (limit.field, limit.value, limit.places) for limit in time_limits(columns, frame["task"].to_list(), passes)
    ]
    heaps += _same_length(frame, copies)
    for name in COUNTS:
        if name == FINAL:
            continue
        values = [None if copy else value for copy, value in zip(copies, frame[name].to_list(), strict=True)]
        value = heap(values)
        if value is not None:
            heaps.append(
                (name, value, frozenset(place for place, row_value in enumerate(values) if row_value == value))
            )
    began = _began(frame)
    own_rows = frozenset(place for place, copy in enumerate(copies) if not copy and began[place])
    heaps += _stopped(frame["acts"].to_list(), frame["ends_on"].to_list(), own_rows)
    limits_in_rows = [
        (name, value, places)
        for name, value, places in _limits_in_rows(frame, columns)
        if len(places & own_rows) >= FEWEST_AT_SET
    ]
    cut_rows = {place for place, state in enumerate(frame["state"].to_list()) if state in CUT}
    limits_and_rows = [
        (_limit(name, value, places & own_rows, own_rows, passes, cut_rows), places & own_rows)
        for name, value, places in heaps
        if 2 * len(places & own_rows) > len(places)
    ]
    endings = frame["ends_on"].to_list()
    limits_and_rows = [
        (limit, places)
        for limit, places in limits_and_rows
        if not (
            _passes_like_others(limit)
            and _ends_like_others(places, own_rows - places, endings)
            and _comes_near(frame[limit.count].to_list(), limit.value, own_rows - places)
        )
    ]
    limits_and_rows.sort(key=lambda pair: -pair[0].rows)
    for name, value, places in reversed(limits_in_rows):
        rows = places & own_rows
        limits_and_rows.insert(0, (_limit(name, value, rows, own_rows, passes, {*rows}), rows))
    return [
        (limit, places)
        for at, (limit, places) in enumerate(limits_and_rows)
        if not any(2 * len(places & earlier_places) > len(places) for _, earlier_places in limits_and_rows[:at])
    ]


def _began(frame: pl.DataFrame) -> Sequence[bool]:
    """Of which rows the agent started, as far as is known: no limit cuts what never began."""
    if "stage_lost" not in frame.columns:
        return [True] * frame.height
    return [stage not in NOT_BEGUN for stage in frame["stage_lost"].to_list()]


def _same_length(frame: pl.DataFrame, copies: Sequence[bool]) -> list[tuple[str, float, frozenset[int]]]:
    """The largest length of final messages, where several different ones have just that: nobody writes so by chance."""
    lengths = frame[FINAL].to_list()
    top = max((length for length in lengths if length), default=0)
    at_top = frozenset(place for place, length in enumerate(lengths) if length == top and not copies[place])
    hashes = frame["final_hash"].to_list()
    different = len({hashes[place] for place in at_top})
    return [(FINAL, float(top), at_top)] if top >= SHORTEST_FINAL and different >= FEWEST_FINAL else []


def _ends_like_others(places: frozenset[int], others: frozenset[int], endings: Sequence[str | None]) -> bool:
    """Whether nearly all of some rows end on what most others end on: then nothing broke them off."""
    usual = Counter(endings[place] for place in others).most_common(1)
    if not usual or usual[0][1] < AS_OFTEN * len(others):
        return False
    return sum(endings[place] == usual[0][0] for place in places) >= NEARLY_ALL * len(places)


def _passes_like_others(limit: Limit) -> bool:
    """Whether the rows at a small largest count pass about as often as the others, or few at a larger one as often."""
    if limit.count not in SHORT or 2 * limit.named > limit.rows or not limit.passed:
        return False
    small = limit.value < SHORT[limit.count]
    if not small and limit.rows > FEW:
        return False
    return limit.passed * limit.others >= (AS_OFTEN if small else 1.0) * limit.others_passed * limit.rows


def _comes_near(values: Sequence[float | None], top: float, others: frozenset[int]) -> bool:
    """Whether the longest of the other rows come near to the largest count: far from them all, it is a limit."""
    longest = max((value for place in others if (value := values[place]) is not None), default=0)
    return longest >= NEAR * top


def _stopped(
    acts: Sequence[int | None], endings: Sequence[str | None], own_rows: frozenset[int]
) -> list[tuple[str, float, frozenset[int]]]:
    """The largest number of turns, where those who stop on a tool's answer, unlike most, nearly all have just that."""
    on_answers = frozenset(place for place in own_rows if endings[place] == ON_ANSWER)
    top = max((turns for place in own_rows if (turns := acts[place])), default=0)
    at_top = frozenset(place for place in on_answers if acts[place] == top)
    usual = 2 * len(on_answers) > len(own_rows)
    if usual or top < SMALLEST or len(at_top) < FEWEST or len(at_top) < NEARLY_ALL * len(on_answers):
        return []
    return [("acts", float(top), at_top)]


def _limits_in_rows(frame: pl.DataFrame, columns: Sequence[Column]) -> Iterator[tuple[str, float, frozenset[int]]]:
    """The limits of turns and calls that all rows state and none goes beyond, with the rows that stop there.

    Who makes his last call and then says something has ended by himself; where a user has the last word in most rows,
    nobody does, and all that stand at the limit were stopped.
    """
    endings = frame["ends_on"].to_list()
    spoken = sum(ending == MESSAGE for ending in endings)
    for name, value in sorted(limit_settings(columns, frame.height, frame["sampling"].to_list()).items()):
        counts = {_COUNTED[word] for word in words(name) if word in _COUNTED}
        if len(counts) != 1:
            continue
        (count_name,) = counts
        used = frame[count_name].to_list()
        if max((number for number in used if number is not None), default=0) != value:
            continue
        by_user = sum(ending == USER for ending in endings) > spoken
        at_value = frozenset(place for place, number in enumerate(used) if number == value)
        stopped = frozenset(place for place in at_value if endings[place] == ON_ANSWER or by_user)
        if len(stopped) >= FEWEST_AT_SET and 2 * len(stopped) < frame.height:
            yield count_name, value, stopped


def _limit(
    name: str,
    value: float,
    places: frozenset[int],
    own_rows: frozenset[int],
    passes: Sequence[bool],
    cut_rows: set[int],
) -> Limit:
    other_rows = own_rows - places
    return Limit(
        name,
        value,
        len(places),
        sum(passes[place] for place in places),
        len(other_rows),
        sum(passes[place] for place in other_rows),
        len(places & cut_rows),
    )


def heap(values: Sequence[float | None]) -> float | None:
    """The largest value, where it is far commoner than the values just below it and others are smaller."""
    numbers = [value for value in values if value is not None]
    if not numbers:
        return None
    counts = Counter(numbers)
    top = max(numbers)
    width = max(3.0, BELOW * top)
    below = [rows for value, rows in counts.items() if top - width <= value < top]
    if top < SMALLEST or counts[top] < FEWEST or counts[top] > len(numbers) / 2:
        return None
    usual = sum(below) / len(below) if below else 1.0
    return top if counts[top] >= TIMES * usual else None
