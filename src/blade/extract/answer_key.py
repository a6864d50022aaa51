"""The answer key of a row as one short answer, or a few that count alike."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import orjson

from blade.extract.options import letter_of
from blade.extract.same_answer import normal, same
from blade.frozen import frozen

LONGEST = 300
_NAMES = (
    "expected_answer",
    "correct_answer",
    "gold_answer",
    "golden_answer",
    "target_answer",
    "ground_truth",
    "reference_answer",
    "expected_judgement",
    "expected_grade",
    "expected_result",
    "expected",
    "target",
    "gold",
    "answer",
    "answers",
    "expected_output",
)


@frozen
class Key:
    """What was expected. `field` is the dotted name; `accepted` are the answers that count alike."""

    field: str
    accepted: tuple[str, ...]

    def is_met(self, answer: Any, options: Mapping[str, str]) -> bool:
        """Whether an answer says what is expected, by its words or as the letter of an option."""
        for accepted in self.accepted:
            if same(answer, accepted):
                return True
            if options and isinstance(answer, str):
                letter = letter_of(answer, options)
                if letter is not None and letter == letter_of(accepted, options):
                    return True
        return False


def key_of(gold: Mapping[str, Any], learned: str = "") -> Key | None:
    """The key among the expected fields: a learned one, else the plainest name whose value is one short answer."""
    if learned in gold and (accepted := _accepted(learned, gold[learned])):
        return Key(learned, accepted)
    by_name = {name.rsplit(".", 1)[-1]: name for name in reversed(list(gold))}
    for name in _NAMES:
        if name in by_name:
            accepted = _accepted(name, gold[by_name[name]])
            if accepted:
                return Key(by_name[name], accepted)
    return None


def _accepted(name: str, value: Any) -> tuple[str, ...]:
    if isinstance(value, str) and value.lstrip()[:1] == "[":
        with suppress(orjson.JSONDecodeError):
            value = orjson.loads(value)
    if isinstance(value, list):
        if len(value) == 1 or (name.endswith("s") and all(isinstance(item, str) for item in value)):
            texts = [item if isinstance(item, str) else _text(item) for item in value]
        else:
            texts = [orjson.dumps(value, default=str).decode()]
    else:
        texts = [_text(value)]
    return tuple(text for text in texts if normal(text) and len(text) <= LONGEST)


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return "" if isinstance(value, (dict, bool)) or value is None else str(value)
