"""The model writes its calls as text: the harness reads them from its messages and answers as a user."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.attempt_scenes.stage_set import SceneAttempt, StageSet, message, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from blade.simulate.simulated_row import Json

__all__ = ["EXPECTED", "play"]

EXPECTED = "calls"


def play(stage: StageSet) -> Iterator[SceneAttempt]:
    """Every structured call becomes text in the run's own style, and its answer a user's message.

    The planted rows are those with a call in them; `calls` holds how many.
    """
    for attempt in stage.blank():
        stage.work(attempt)
        calls = [item for item in attempt.items if item["type"] == "function_call"]
        attempt.items = _as_text(stage, attempt)
        attempt.planted, attempt.calls = bool(calls), len(calls)
        yield attempt


def _as_text(stage: StageSet, attempt: SceneAttempt) -> list[Json]:
    messages: list[Json] = []
    words = ""
    for item in attempt.items:
        if item["type"] == "function_call":
            text = stage.words.call_style.replace("{name}", item["name"]).replace("{arguments}", item["arguments"])
            messages.append(message(f"{words}\n{text}" if words else text))
            words = ""
        elif item["type"] == "function_call_output":
            messages.append(message(stage.words.answer_style.replace("{answer}", item["output"]), "user"))
        else:
            words = text_of(item)
    return [*messages, message(words)] if words else messages
