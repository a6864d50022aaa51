"""The harness logs into the transcript: its lines stand in an assistant's message, with the model's or alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.attempt_scenes.stage_set import SceneAttempt, StageSet, message, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["EXPECTED", "play"]

EXPECTED = "void"


def play(stage: StageSet) -> Iterator[SceneAttempt]:
    """In the planted rows the harness waits for an agent that never says a word, and logs until its time is up.

    Everywhere else the same lines stand around what the model says.
    """
    rows = list(stage.blank())
    planted = stage.chosen(rows)
    for number, attempt in enumerate(rows):
        if number in planted:
            attempt.planted, attempt.output_tokens = True, 0
            attempt.items = [message(_log(stage, attempt, attempt.rng.randrange(4, 12)))]
            stage.unjudged(attempt)
        else:
            stage.work(attempt)
            messages = [item for item in attempt.items if item["type"] == "message"]
            attempt.output_tokens = 20 + sum(len(text_of(item)) for item in messages) // 4
            for item in messages:
                item["content"][0]["text"] = f"{_log(stage, attempt, attempt.rng.randrange(1, 4))}\n{text_of(item)}"
        yield attempt


def _log(stage: StageSet, attempt: SceneAttempt, lines: int) -> str:
    kinds = stage.words.harness_lines
    return "\n".join(
        stage.fill(attempt.rng.choice(kinds), attempt, number=str(attempt.rng.randrange(900))) for _ in range(lines)
    )
