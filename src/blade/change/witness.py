"""Rows whose own record says how they should have been judged: the same work, judged otherwise in one of two runs.

A witness is what stands beside the reward and does not depend on it: the verifier's other fields, or whether the work
meets its key. It is believed where it tells the verdict of one run on nearly every row; rows of the other run that
contradict it, more of them than chance allows, were judged otherwise and not done otherwise.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from blade.change.met_keys import met, works
from blade.change.pair import Pair
from blade.counting.run import Run
from blade.model import Status
from blade.stats.binomial import more_often_p

FEWEST = 3
"""Rows judged otherwise, below which it may be a slip."""
FEWEST_KNOWN = 5
"""Passes and failures of the run that a witness is learned from."""
TOLD = 0.95
"""The share of rows that a field must tell of, and of the rows that it must tell right."""
CHANCE = 0.001
FULL, NOTHING = 1.0, 0.0
KEY = "the key"
Told = list[float | None]
"""Per row what the witness says its reward is; None where it says nothing."""


@dataclass(frozen=True, slots=True)
class Witness:
    """Rewards as the other run's verifier would give them, for the rows of the run that was judged otherwise."""

    field: str
    rescored_a: tuple[float | None, ...]
    rescored_b: tuple[float | None, ...]
    rows: int


def witness(pair: Pair, hit: tuple[Collection[int], Collection[int]] = ((), ())) -> Witness | None:
    """The witness with the most rows judged otherwise; None where both runs judge alike.

    Rows that a broken tool `hit`, or infrastructure broke, say nothing: what they seem to have done did not happen.
    """
    found = []
    silent = [
        {*gone, *(place for place, state in enumerate(frame["state"]) if state == Status.INFRASTRUCTURE.value)}
        for frame, gone in zip((pair.a, pair.b), hit, strict=True)
    ]
    rewards = pair.a["reward"].to_list(), pair.b["reward"].to_list()
    binary = set(rewards[0]) | set(rewards[1]) <= {NOTHING, FULL}
    for name, *sides in _witnesses(pair, binary=binary):
        left, right = (
            [None if place in gone else said for place, said in enumerate(told)]
            for told, gone in zip(sides, silent, strict=True)
        )
        for side, (known, told) in enumerate(((right, left), (left, right))):
            wrong = _judged_otherwise(told, rewards[side], known, rewards[1 - side], both=name != KEY)
            if wrong:
                again = tuple(told[place] if place in wrong else reward for place, reward in enumerate(rewards[side]))
                nothing = (None,) * len(rewards[1 - side])
                scored = (again, nothing) if side == 0 else (nothing, again)
                found.append(Witness(name, scored[0], scored[1], len(wrong)))
    return max(found, key=lambda one: one.rows, default=None)


def _witnesses(pair: Pair, *, binary: bool) -> Iterator[tuple[str, Told, Told]]:
    left, right = _fields(pair.base, pair.a, binary=binary), _fields(pair.candidate, pair.b, binary=binary)
    for name in sorted(left.keys() & right.keys()):
        yield name, left[name], right[name]
    if binary:
        yield KEY, _met(pair.a), _met(pair.b)


def _met(frame: pl.DataFrame) -> Told:
    return [None if said is None else float(said) for said in map(met, works(frame))]


def _fields(run: Run, frame: pl.DataFrame, *, binary: bool) -> dict[str, Told]:
    """Every field of numbers from 0 to 1, or of true and false where rewards are 0 and 1; not the reward itself."""
    places = {place: at for at, place in enumerate(frame.select("file", "line").rows())}
    owners = [places.get(place) for place in run.facts.select("file", "line").rows()]
    found: dict[str, Told] = {}
    for column in run.columns:
        values = [_as_reward(value, binary=binary) for value in column.values]
        if column.name == "reward" or not any(value is not None for value in values):
            continue
        told: Told = [None] * frame.height
        for row, code in zip(column.rows.tolist(), column.codes.tolist(), strict=True):
            at = owners[row]
            if at is not None:
                told[at] = values[code]
        if sum(value is not None for value in told) >= TOLD * len(told):
            found[column.name] = told
    return found


def _as_reward(value: Any, *, binary: bool) -> float | None:
    if isinstance(value, bool):
        return float(value) if binary else None
    return float(value) if isinstance(value, (int, float)) and NOTHING <= value <= FULL else None


def _judged_otherwise(
    told: Told, given: Sequence[float], known: Told, known_given: Sequence[float], *, both: bool
) -> set[int]:
    """Rows of one run that contradict a witness of which the other run shows that it tells the verdict.

    With `both` it must tell passes and failures alike: a field that every pass has may be a check on the way.
    """
    wrong: set[int] = set()
    for high in (True, False):
        here = [place for place, said in enumerate(told) if said is not None and (said > 0) is high]
        there = [place for place, said in enumerate(known) if said is not None and (said > 0) is high]
        apart = {place for place in here if told[place] != given[place]}
        slips = sum(known[place] != known_given[place] for place in there)
        sure = len(there) >= FEWEST_KNOWN and slips <= (1 - TOLD) * len(there)
        if both and not sure:
            return set()
        if sure and len(apart) >= FEWEST and more_often_p(len(apart), len(here), slips, len(there)) < CHANCE:
            wrong |= apart
    return wrong
