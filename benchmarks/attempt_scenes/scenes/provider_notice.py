"""The last message is the provider's, not the model's: quota, service refused, filter or key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.attempt_scenes.stage_set import SceneAttempt, StageSet, message

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["EXPECTED", "play"]

EXPECTED = "void"


def play(stage: StageSet) -> Iterator[SceneAttempt]:
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
    for number, attempt in enumerate(rows):
        stage.work(attempt)
        if number in planted:
            _replace_the_end(stage, attempt, notice, trace)
        yield attempt


def _replace_the_end(stage: StageSet, attempt: SceneAttempt, notice: str, trace: str) -> None:
    """The notice stands where the model's next words would; at a trace of tokens it stands alone."""
    attempt.planted = True
    answered = [place for place, item in enumerate(attempt.items) if item["type"] == "function_call_output"]
    last_item = attempt.rng.choice([-1, *answered]) if trace != "tokens" else -1
    notice_message = message(notice)
    if trace == "author":
        notice_message["model"] = "relay"
    if trace == "status":
        attempt.response = {"status": "incomplete", "incomplete_details": {"reason": "upstream"}}
    if trace == "tokens":
        attempt.output_tokens = 0
    attempt.items = [*attempt.items[: last_item + 1], notice_message]
    stage.unjudged(attempt)
