"""The simulated user agrees to the write that the task needs, and ends the talk before it can be made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.attempt_scenes.stage_set import SceneAttempt, StageSet, message

from blade.simulate.rng import roll

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["EXPECTED", "play"]

EXPECTED = "user_ends_early"
REFUSES = 0.15


def play(stage: StageSet) -> Iterator[SceneAttempt]:
    """Talks of three turns. In the planted ones the user says yes and ends in the same turn.

    Beside them: the model writes something else, or gives up and the user ends; those are the model's.
    """
    rows = list(stage.blank())
    planted = stage.chosen(rows)
    for number, attempt in enumerate(rows):
        attempt.planted = number in planted
        attempt.passed = attempt.passed and not attempt.planted
        _talk(stage, attempt)
        stage.judge(attempt)
        yield attempt


def _talk(stage: StageSet, attempt: SceneAttempt) -> None:
    words = stage.words
    attempt.given = [message(stage.fill(attempt.rng.choice(words.user_opens), attempt), "user")]
    key = {words.argument: f"{attempt.subject}-{attempt.number}"}
    attempt.fields["expected_actions"] = [{"name": words.write_tool, "arguments": key}]
    stage.add_call(attempt, words.read_tool, key, stage.fill(words.read_answers[0], attempt))
    ends = f"{attempt.rng.choice(words.user_accepts)} {words.user_end}"
    if not attempt.planted and not attempt.passed and roll(attempt.rng, REFUSES):
        attempt.items += [message(attempt.rng.choice(words.gives_up)), message(ends, "user")]
        return
    attempt.items.append(message(stage.fill(attempt.rng.choice(words.model_asks), attempt)))
    if attempt.planted:
        consent = stage.fill(words.user_answers[-1], attempt)
        attempt.items.append(message(f"{consent} {words.user_end}", "user"))
        return
    attempt.items.append(message(stage.fill(attempt.rng.choice(words.user_answers), attempt), "user"))
    arguments = key if attempt.passed else {words.argument: f"{attempt.subject}-{attempt.number + 1}"}
    stage.add_call(attempt, words.write_tool, arguments, stage.fill(words.write_answer, attempt))
    attempt.items += [message(stage.fill(attempt.rng.choice(words.finished), attempt)), message(ends, "user")]
