"""A tool's answer that holds the id of the very task, which nothing gave the model: a list of the tasks, or of keys."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.text import clip
from blade.extract.transcript import arguments_text
from blade.task_names import DOMAIN_IDS

SHORTEST = 5
AROUND = 100


def named_task(attempt: Attempt) -> dict[str, Any]:
    """`named_task`: `[tool, item, words around the id]` of the first answer that names the task by its own id."""
    for task_id in _ids(attempt.row):
        if any(task_id in step.text for step in attempt.prompt):
            continue
        for place, call in enumerate(attempt.calls):
            if call.answer is not None and (at := call.answer.text.find(task_id)) >= 0:
                if any(task_id in arguments_text(earlier.arguments) for earlier in attempt.calls[: place + 1]):
                    break
                words = call.answer.text[max(0, at - AROUND // 2) : at + len(task_id) + AROUND]
                return {"named_task": [call.name, call.answer.item, clip(" ".join(words.split()), 2 * AROUND)]}
    return {}


def _ids(row: dict[str, Any]) -> Iterator[str]:
    """The ids of the task in the row that are no plain numbers and no common words."""
    for holder in (row, row.get("verifier_metadata"), row.get("metadata")):
        if isinstance(holder, dict):
            for name in DOMAIN_IDS:
                value = holder.get(name)
                if isinstance(value, str) and len(value) >= SHORTEST and _is_telling(value):
                    yield value


def _is_telling(task_id: str) -> bool:
    return any(map(str.isdigit, task_id)) and any(map(str.isalpha, task_id))
