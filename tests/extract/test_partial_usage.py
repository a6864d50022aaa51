"""A usage of one call is not told as the usage of the rollout."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.detectors.attempts import attempt, call, say
from tests.gym_rows import analysed, message, response, row, write

import blade
from blade.extract.usage import usage_of

LONG = "Let me think about the seats on the train once more. " * 20


def used(tokens: int, *items: Any) -> bool | None:
    made = attempt(*items, response={"usage": {"input_tokens": 900, "output_tokens": tokens}})
    partial: bool | None = usage_of(made)["usage_is_partial"]
    return partial


def test_too_few_tokens_for_the_words_of_several_turns() -> None:
    assert used(10, say(LONG), call("look", {"n": 1}, "3"), say("Done.")) is True
    assert used(10, call("note", {"text": LONG}, "ok"), say("Done.")) is True
    assert used(300, say(LONG), call("look", {"n": 1}, LONG), say("Done.")) is False
    assert used(10, say(LONG)) is False
    assert used(0, say(LONG), say("Done.")) is None


def test_it_is_said_and_counted_nowhere(tmp_path: Path) -> None:
    rows = [row(n, reward=float(n % 2), response=response(message(LONG), message("Done."))) for n in range(4)]
    rows += [row(n, reward=float(n % 2)) for n in range(4, 8)]
    found = analysed(write(tmp_path / "seats.jsonl", rows))
    (run,) = found.runs
    assert (run.tokens["partial"], run.tokens["output"]["all"]) == (4, {"median": 5.0, "n": 4})
    assert "The tokens recorded by 4 rollouts of" in blade.render(blade.report(found))
