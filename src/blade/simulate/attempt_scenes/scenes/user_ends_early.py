"""The simulated user agrees to the write that the task needs, and ends the talk before it can be made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blade.simulate.attempt_scenes.stage_set import Attempt, StageSet, message
from blade.simulate.rng import roll

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["EXPECTED", "play"]

EXPECTED = "user_ends_early"
REFUSES = 0.15


def play(stage: StageSet) -> Iterator[Attempt]:
    """Talks of three turns. In the planted ones the user says yes and ends in the same turn.

    Beside them: the model writes something else, or gives up and the user ends; those are the model's.
    """
    rows = list(stage.blank())
    planted = stage.chosen(rows)
    for number, one in enumerate(rows):
        one.planted = number in planted
        one.passed = one.passed and not one.planted
        _talk(stage, one)
        stage.judge(one)
        yield one


def _talk(stage: StageSet, one: Attempt) -> None:
    words = stage.words
    one.given = [message(stage.fill(one.rng.choice(words.user_opens), one), "user")]
    key = {words.argument: f"{one.subject}-{one.number}"}
    one.fields["expected_actions"] = [{"name": words.write_tool, "arguments": key}]
    stage.add_call(one, words.read_tool, key, stage.fill(words.read_answers[0], one))
    ends = f"{one.rng.choice(words.user_accepts)} {words.user_end}"
    if not one.planted and not one.passed and roll(one.rng, REFUSES):
        one.items += [message(one.rng.choice(words.gives_up)), message(ends, "user")]
        return
    one.items.append(message(stage.fill(one.rng.choice(words.model_asks), one)))
    if one.planted:
        consent = stage.fill(words.user_answers[-1], one)
        one.items.append(message(f"{consent} {words.user_end}", "user"))
        return
    one.items.append(message(stage.fill(one.rng.choice(words.user_answers), one), "user"))
    said = key if one.passed else {words.argument: f"{one.subject}-{one.number + 1}"}
    stage.add_call(one, words.write_tool, said, stage.fill(words.write_answer, one))
    one.items += [message(stage.fill(one.rng.choice(words.finished), one)), message(ends, "user")]
