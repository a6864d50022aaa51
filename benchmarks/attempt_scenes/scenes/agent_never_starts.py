"""The agent never starts: the row holds what the harness wrote before it, and a reward of zero."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.attempt_scenes.stage_set import SceneAttempt, StageSet, message

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["EXPECTED", "play"]

EXPECTED = "void"


def play(stage: StageSet) -> Iterator[SceneAttempt]:
    """The same set-up stands before every attempt; in the planted ones it ends in one line and nothing follows.

    It is an assistant's or a user's message of the transcript, or a field of the row beside an empty transcript.
    """
    rows = list(stage.blank())
    place = stage.rng.choice(("assistant", "user", "field"))
    dies = stage.rng.choice(stage.words.agent_dies)
    planted = stage.chosen(rows)
    for number, attempt in enumerate(rows):
        lines = [stage.fill(line, attempt) for line in stage.words.setup]
        if number in planted:
            attempt.planted, attempt.output_tokens = True, 0
            lines.append(stage.fill(dies, attempt))
        if place == "field":
            attempt.fields["startup_output"] = "\n".join(lines)
        else:
            attempt.items.append(message("\n".join(lines), place))
        if attempt.planted:
            stage.unjudged(attempt)
        else:
            stage.work(attempt)
        yield attempt
