"""What a simulated user makes up and the model writes: a text that stands nowhere but in the user's own turns.

A user who was told not to reveal something, or who is asked for what it does not know, may invent it; a model that
could have looked it up writes the invention instead.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson

from blade.extract.attempt import Attempt
from blade.extract.text import clip
from blade.model import StepKind

SHORTEST = 6
MOST = 4
LONGEST = 120
_ANSWERS = frozenset({StepKind.OUTPUT, StepKind.ENVIRONMENT})


def made_up(attempt: Attempt) -> dict[str, Any]:
    """`made_up`: `[tool, argument, value, item]` of accepted changes outside the key, where the user was told its task.

    Only texts of several words are looked at: a single word may be anybody's.
    """
    if attempt.changes is None or not attempt.users or not attempt.instruction:
        return {}
    expected = set(attempt.changes.keys.values())
    inventions: list[list[Any]] = []
    elsewhere: list[str] = []
    for change in attempt.changes.made:
        if change.failed or change.key in expected:
            continue
        elsewhere = elsewhere or _elsewhere(attempt)
        for name, value in texts(change.call.arguments):
            plain = value.strip().lower()
            if len(plain) >= SHORTEST and " " in plain and _only_said(attempt, change.call.step.item, plain, elsewhere):
                inventions.append([change.call.name, name, clip(value.strip(), LONGEST), change.call.step.item])
    return {"made_up": inventions[:MOST]} if inventions else {}


def _elsewhere(attempt: Attempt) -> list[str]:
    """All that stands in the row outside the conversation, and what the prompt says that no user says."""
    other_fields = {
        key: value for key, value in attempt.row.items() if key not in {"response", "responses_create_params"}
    }
    prompt_texts = [step.text.lower() for step in attempt.prompt if step.role != "user"]
    return [orjson.dumps(other_fields, default=str).decode(errors="replace").lower(), *prompt_texts]


def _only_said(attempt: Attempt, item: int, value: str, elsewhere: list[str]) -> bool:
    """Whether the user is the first to say a value, no tool shows it before the call, and nothing else has it."""
    opening = any(value in step.text.lower() for step in attempt.prompt if step.role == "user")
    holding = [step for step in attempt.steps if step.item < item and value in step.text.lower()]
    user_first = opening or (bool(holding) and holding[0].kind is StepKind.USER)
    tool_shows = any(step.kind in _ANSWERS for step in holding)
    return user_first and not tool_shows and not any(value in text for text in elsewhere)


def texts(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """The texts among arguments, each with the name of the field that holds it."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from texts(inner, str(key))
    elif isinstance(value, list):
        for inner in value:
            yield from texts(inner, name)
    elif isinstance(value, str) and name:
        yield name, value
