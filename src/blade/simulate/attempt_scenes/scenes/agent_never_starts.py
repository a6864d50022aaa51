"""The agent never starts: the row holds what the harness wrote before it, and a reward of zero."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blade.simulate.attempt_scenes.stage_set import Attempt, StageSet, message

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["EXPECTED", "play"]

EXPECTED = "void"


def play(stage: StageSet) -> Iterator[Attempt]:
    """The same set-up stands before every attempt; in the planted ones it ends in one line and nothing follows.

    It is an assistant's or a user's message of the transcript, or a field of the row beside an empty transcript.
    """
    rows = list(stage.blank())
    place = stage.rng.choice(("assistant", "user", "field"))
    dies = stage.rng.choice(stage.words.agent_dies)
    planted = stage.chosen(rows)
    for number, one in enumerate(rows):
        lines = [stage.fill(line, one) for line in stage.words.setup]
        if number in planted:
            one.planted, one.output_tokens = True, 0
            lines.append(stage.fill(dies, one))
        if place == "field":
            one.fields["startup_output"] = "\n".join(lines)
        else:
            one.items.append(message("\n".join(lines), place))
        if one.planted:
            stage.unjudged(one)
        else:
            stage.work(one)
        yield one
