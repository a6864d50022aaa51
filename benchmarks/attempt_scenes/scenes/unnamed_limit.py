"""A limit that no field names: turns, tokens or seconds heap at one value, and what they end is cut."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.attempt_scenes.stage_set import SceneAttempt, StageSet, message

from blade.simulate.rng import roll

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["EXPECTED", "play"]

EXPECTED = "cut"
DONE_BEFORE = 0.1


def play(stage: StageSet) -> Iterator[SceneAttempt]:
    """The planted rows use all there is and stop after a tool's answer; nothing says why. Few had done the work."""
    rows = list(stage.blank())
    form = stage.rng.choice(("turns", "tokens", "seconds"))
    limit = {"turns": 9, "tokens": 2048, "seconds": 600}[form] + stage.rng.randrange(4)
    stage.counts_tokens = stage.counts_tokens or form == "tokens"
    planted = stage.chosen(rows)
    for number, attempt in enumerate(rows):
        attempt.planted = number in planted
        if attempt.planted:
            _use_all(stage, attempt, form, limit)
        else:
            stage.work(attempt)
            if form == "tokens":
                attempt.output_tokens = attempt.rng.randrange(120, limit - 60)
            attempt.agent_seconds = round(attempt.rng.uniform(20, 500), 2)
        yield attempt


def _use_all(stage: StageSet, attempt: SceneAttempt, form: str, limit: int) -> None:
    attempt.passed = roll(attempt.rng, DONE_BEFORE)
    for turn in range(limit if form == "turns" else attempt.rng.randrange(3, 8)):
        attempt.items.append(message(stage.fill(attempt.rng.choice(stage.words.progress), attempt)))
        name, arguments, answer = stage.call(attempt, write=turn > 0 and roll(attempt.rng, 0.5))
        stage.add_call(attempt, name, arguments, answer)
    attempt.agent_seconds = round(attempt.rng.uniform(20, 500), 2)
    if form == "tokens":
        attempt.output_tokens = limit
    elif form == "seconds":
        attempt.agent_seconds = limit + round(attempt.rng.uniform(0.02, 0.9), 2)
    stage.judge(attempt)
