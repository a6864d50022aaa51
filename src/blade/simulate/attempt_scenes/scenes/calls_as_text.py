"""The model writes its calls as text: the harness reads them from its messages and answers as a user."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blade.simulate.attempt_scenes.stage_set import Attempt, StageSet, message, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from blade.simulate.scenario import Json

__all__ = ["EXPECTED", "play"]

EXPECTED = "calls"


def play(stage: StageSet) -> Iterator[Attempt]:
    """Every structured call becomes text in the run's own style, and its answer a user's message.

    The planted rows are those with a call in them; `calls` holds how many.
    """
    for one in stage.blank():
        stage.work(one)
        calls = [item for item in one.items if item["type"] == "function_call"]
        one.items = _as_text(stage, one)
        one.planted, one.calls = bool(calls), len(calls)
        yield one


def _as_text(stage: StageSet, one: Attempt) -> list[Json]:
    written: list[Json] = []
    said = ""
    for item in one.items:
        if item["type"] == "function_call":
            text = stage.words.call_style.replace("{name}", item["name"]).replace("{arguments}", item["arguments"])
            written.append(message(f"{said}\n{text}" if said else text))
            said = ""
        elif item["type"] == "function_call_output":
            written.append(message(stage.words.answer_style.replace("{answer}", item["output"]), "user"))
        else:
            said = text_of(item)
    return [*written, message(said)] if said else written
