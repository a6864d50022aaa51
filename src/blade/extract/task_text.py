"""What a task asks for, in the words of its row: an instruction in its metadata, else the last user message."""

from __future__ import annotations

from typing import Any

from blade.extract.field_roles import HEAVY, where
from blade.extract.names import words
from blade.extract.transcript import prompt_steps

_HOLDERS = ("", "metadata", "verifier_metadata", "task", "info")
_NAMES = frozenset("instruction instructions scenario goal objective".split())
_BRIEFS = frozenset("instruction instructions scenario brief briefing persona goal storyline".split())
_PLAYED = frozenset(
    "user caller customer client guest patient patron shopper visitor traveller traveler passenger buyer tenant member "
    "student simulator simulated sim".split()
)
"""Of a field that tells a simulated user what to want, in whatever record it stands."""
SHORTEST = 20
FEWEST_WORDS = 4
"""An instruction is a sentence: the path of a file of scenarios, or an id, is none."""


def task_text(row: dict[str, Any]) -> str:
    """The longest text that a field calls an instruction, else the last message of the request, else nothing."""
    if instruction_text := instruction(row):
        return instruction_text
    user_texts = [step.text for step in prompt_steps(row.get("responses_create_params")) if step.role == "user"]
    return user_texts[-1] if user_texts else ""


def _is_instruction(name: str) -> bool:
    return not _NAMES.isdisjoint(words(name))


def instruction(row: dict[str, Any]) -> str:
    """The longest text that a field of the row calls an instruction; nothing where none does."""
    texts: list[str] = []
    for name in _HOLDERS:
        holder = row if not name else row.get(name)
        if isinstance(holder, dict):
            texts += [value for key in where(holder, _is_instruction) if _is_sentence(value := holder[key])]
    if not texts:
        records = (value for key, value in row.items() if isinstance(value, dict) and key not in HEAVY)
        texts = [text for record in records for key in where(record, _is_brief) if _is_sentence(text := record[key])]
    return max(texts, key=len, default="")


def _is_brief(name: str) -> bool:
    have = words(name)
    return not _BRIEFS.isdisjoint(have) and not _PLAYED.isdisjoint(have)


def _is_sentence(value: Any) -> bool:
    return isinstance(value, str) and len(value) >= SHORTEST and len(value.split(maxsplit=FEWEST_WORDS)) >= FEWEST_WORDS
