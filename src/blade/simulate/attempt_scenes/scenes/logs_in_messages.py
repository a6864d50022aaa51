"""The harness logs into the transcript: its lines stand in an assistant's message, with the model's or alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blade.simulate.attempt_scenes.stage_set import Attempt, StageSet, message, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["EXPECTED", "play"]

EXPECTED = "void"


def play(stage: StageSet) -> Iterator[Attempt]:
    """In the planted rows the harness waits for an agent that never says a word, and logs until its time is up.

    Everywhere else the same lines stand around what the model says.
    """
    rows = list(stage.blank())
    planted = stage.chosen(rows)
    for number, one in enumerate(rows):
        if number in planted:
            one.planted, one.output_tokens = True, 0
            one.items = [message(_log(stage, one, one.rng.randrange(4, 12)))]
            stage.unjudged(one)
        else:
            stage.work(one)
            counted = [item for item in one.items if item["type"] == "message"]
            one.output_tokens = 20 + sum(len(text_of(item)) for item in counted) // 4
            for item in counted:
                item["content"][0]["text"] = f"{_log(stage, one, one.rng.randrange(1, 4))}\n{text_of(item)}"
        yield one


def _log(stage: StageSet, one: Attempt, lines: int) -> str:
    kinds = stage.words.harness_lines
    return "\n".join(stage.fill(one.rng.choice(kinds), one, number=str(one.rng.randrange(900))) for _ in range(lines))
