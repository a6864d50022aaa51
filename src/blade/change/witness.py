"""Rows whose own record says how they should have been judged: the same work, judged otherwise in one of two runs.

A witness is what stands beside the reward and does not depend on it: the verifier's other fields, or whether the work
meets its key. It is believed where it tells the verdict of one run on nearly every row; rows of the other run that
contradict it, more of them than chance allows, were judged otherwise and not done otherwise.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from operator import itemgetter

import polars as pl

from blade.change.met_keys import met, works
from blade.change.pair import Pair
from blade.change.verdict_fields import (
    BASE,
    CANDIDATE,
    FULL,
    NOTHING,
    Rewards,
    Sides,
    Told,
    checks_met,
    verdict_fields,
)
from blade.frozen import frozen
from blade.model import Status
from blade.stats.binomial import more_often_p

FEWEST = 3
"""Rows judged otherwise, below which it may be a slip."""
FEWEST_KNOWN = 5
"""Passes and failures of the run that a witness is learned from."""
RIGHT = 0.95
"""The share of the rows that a witness must tell right."""
CHANCE = 0.001
KEY, CHECKS = "the key", "the checks"


@frozen
class Witness:
    """Rewards as the other run's verifier would give them, for the rows of the run that was judged otherwise."""

    field: str
    rescored_a: tuple[float | None, ...]
    rescored_b: tuple[float | None, ...]
    rows: int


def witness(pair: Pair, hit: tuple[Collection[int], Collection[int]] = ((), ())) -> Witness | None:
    """The witness with the most rows judged otherwise, of the candidate if it has any; None where both judge alike.

    Rows that a broken tool `hit`, or infrastructure broke, say nothing: what they seem to have done did not happen.
    """
    witnesses = []
    silent = [
        {
            *hit_rows,
            *(place for place, state in enumerate(frame["state"].to_list()) if state == Status.INFRASTRUCTURE.value),
        }
        for frame, hit_rows in zip((pair.a, pair.b), hit, strict=True)
    ]
    rewards = pair.a["reward"].to_list(), pair.b["reward"].to_list()
    for other_side, name, sides in _witnesses(pair, rewards):
        side = CANDIDATE if other_side == BASE else BASE
        own_testimony, other_testimony = (
            [None if place in silent[run] else verdict for place, verdict in enumerate(sides[run])]
            for run in (side, other_side)
        )
        wrong = _judged_otherwise(
            own_testimony, rewards[side], other_testimony, rewards[other_side], needs_other_run=name != KEY
        )
        if wrong:
            again = tuple(
                own_testimony[place] if place in wrong else reward for place, reward in enumerate(rewards[side])
            )
            nothing = (None,) * len(rewards[other_side])
            scored = (again, nothing) if side == BASE else (nothing, again)
            witnesses.append(((side, len(wrong)), Witness(name, scored[0], scored[1], len(wrong))))
    return max(witnesses, key=itemgetter(0), default=((), None))[1]


def _witnesses(pair: Pair, rewards: Rewards) -> Iterator[tuple[int, str, Sides]]:
    """The run whose verdicts a witness is held against first, its name, and what it tells."""
    yield from verdict_fields(pair, rewards)
    judging_sides = [side for side in (BASE, CANDIDATE) if set(rewards[side]) <= {NOTHING, FULL}]
    if judging_sides:
        checks = checks_met(pair.a), checks_met(pair.b)
        keys = _keys_met(pair.a), _keys_met(pair.b)
        for judging_side in judging_sides:
            yield judging_side, CHECKS, checks
            yield judging_side, KEY, keys


def _keys_met(frame: pl.DataFrame) -> Told:
    return [None if verdict is None else float(verdict) for verdict in map(met, works(frame))]


def _judged_otherwise(
    testimony: Told,
    rewards: Sequence[float],
    other_testimony: Told,
    other_rewards: Sequence[float],
    *,
    needs_other_run: bool,
) -> set[int]:
    """Rows of one run that contradict a witness of which the other run shows that it tells the verdict.

    With `both` it must tell passes and failures alike: a field that every pass has may be a check on the way.
    """
    wrong: set[int] = set()
    for high in (True, False):
        own_places = [place for place, verdict in enumerate(testimony) if verdict is not None and (verdict > 0) is high]
        other_places = [
            place for place, verdict in enumerate(other_testimony) if verdict is not None and (verdict > 0) is high
        ]
        apart = {place for place in own_places if testimony[place] != rewards[place]}
        slips = sum(other_testimony[place] != other_rewards[place] for place in other_places)
        sure = len(other_places) >= FEWEST_KNOWN and slips <= (1 - RIGHT) * len(other_places)
        if needs_other_run and not sure:
            return set()
        if (
            sure
            and len(apart) >= FEWEST
            and more_often_p(len(apart), len(own_places), slips, len(other_places)) < CHANCE
        ):
            wrong |= apart
    return wrong
