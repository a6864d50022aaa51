"""The last message is the provider's, not the model's: quota, service refused, filter or key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blade.simulate.attempt_scenes.stage_set import Attempt, StageSet, message

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["EXPECTED", "play"]

EXPECTED = "void"


def play(stage: StageSet) -> Iterator[Attempt]:
    """One notice, word for word the same in different tasks, leaves one trace beside its words.

    No token was written; the message names another author; the response ended with another status; or every row
    after a moment ends with it. A notice without any trace cannot be told from a model that gives up, and is not here.
    """
    rows = list(stage.blank())
    notice = stage.rng.choice(stage.words.notices)
    trace = stage.rng.choice(("tokens", "author", "status", "window"))
    planted = stage.chosen(rows)
    if trace == "window":
        planted = set(range(len(rows) - len(planted), len(rows)))
    stage.counts_tokens = stage.counts_tokens or trace == "tokens"
    for number, one in enumerate(rows):
        stage.work(one)
        if number in planted:
            _replace_the_end(stage, one, notice, trace)
        yield one


def _replace_the_end(stage: StageSet, one: Attempt, notice: str, trace: str) -> None:
    """The notice stands where the model's next words would; at a trace of tokens it stands alone."""
    one.planted = True
    answered = [place for place, item in enumerate(one.items) if item["type"] == "function_call_output"]
    kept = one.rng.choice([-1, *answered]) if trace != "tokens" else -1
    said = message(notice)
    if trace == "author":
        said["model"] = "relay"
    if trace == "status":
        one.response = {"status": "incomplete", "incomplete_details": {"reason": "upstream"}}
    if trace == "tokens":
        one.output_tokens = 0
    one.items = [*one.items[: kept + 1], said]
    stage.unjudged(one)
