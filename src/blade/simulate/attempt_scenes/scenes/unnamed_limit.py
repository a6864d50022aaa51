"""A limit that no field names: turns, tokens or seconds heap at one value, and what they end is cut."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blade.simulate.attempt_scenes.stage_set import Attempt, StageSet, message
from blade.simulate.rng import roll

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["EXPECTED", "play"]

EXPECTED = "cut"
DONE_BEFORE = 0.1


def play(stage: StageSet) -> Iterator[Attempt]:
    """The planted rows use all there is and stop after a tool's answer; nothing says why. Few had done the work."""
    rows = list(stage.blank())
    form = stage.rng.choice(("turns", "tokens", "seconds"))
    limit = {"turns": 9, "tokens": 2048, "seconds": 600}[form] + stage.rng.randrange(4)
    stage.counts_tokens = stage.counts_tokens or form == "tokens"
    planted = stage.chosen(rows)
    for number, one in enumerate(rows):
        one.planted = number in planted
        if one.planted:
            _use_all(stage, one, form, limit)
        else:
            stage.work(one)
            if form == "tokens":
                one.output_tokens = one.rng.randrange(120, limit - 60)
            one.agent_seconds = round(one.rng.uniform(20, 500), 2)
        yield one


def _use_all(stage: StageSet, one: Attempt, form: str, limit: int) -> None:
    one.passed = roll(one.rng, DONE_BEFORE)
    for turn in range(limit if form == "turns" else one.rng.randrange(3, 8)):
        one.items.append(message(stage.fill(one.rng.choice(stage.words.progress), one)))
        name, arguments, answer = stage.call(one, write=turn > 0 and roll(one.rng, 0.5))
        stage.add_call(one, name, arguments, answer)
    one.agent_seconds = round(one.rng.uniform(20, 500), 2)
    if form == "tokens":
        one.output_tokens = limit
    elif form == "seconds":
        one.agent_seconds = limit + round(one.rng.uniform(0.02, 0.9), 2)
    stage.judge(one)
