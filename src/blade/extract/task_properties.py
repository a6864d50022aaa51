"""Properties of the task that no short field names: how long its prompt is and what it allows, what is expected."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any

from blade.extract.allowances import allowances
from blade.extract.answer_kind import CHOICE, LIST, NONE, kind_of
from blade.extract.attempt import Attempt
from blade.extract.equivalent import members
from blade.extract.field_roles import where
from blade.extract.names import is_gold, is_metadata, is_outcome, words
from blade.extract.options import stem_of
from blade.extract.scripts import LATIN, writing_system
from blade.extract.text import hash_text, squeeze
from blade.late_regex import late_regex
from blade.model import StepKind

MOST_FIELDS = 5
MOST_VALUES = 12
LONGEST = 60
_CONTROL = late_regex(r"([\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f])([^\s\x00-\x1f]{0,20})")
"""A control character that no text needs (an escape that begins colours left aside), and what follows it."""
_HOLDERS = ("metadata", "verifier_metadata", "task")
_DATE = late_regex(r"\d{4}-\d\d-\d\d(?=$|[T ])")
_DATED = frozenset("date day released release published publication contest".split())
_OF_THE_RUN = frozenset("run start started end ended created updated finished eval evaluated completed".split())
"""Words of the names of a time at which somebody worked: no date of the task."""

Fields = Sequence[tuple[str, Any]]


def task_properties(attempt: Attempt) -> dict[str, Any]:
    """Small values, the same for every attempt at the task."""
    found: dict[str, Any] = {}
    asked = [step for step in attempt.prompt if step.kind is StepKind.USER] or attempt.prompt
    if asked:
        found["prompt"] = len(asked[-1].text.strip())
        if not asked[-1].text.isascii() and (script := _script(asked[-1].text)):
            found["script"] = script
        if allowed := allowances(asked[-1].text):
            found["allows"] = allowed
    damage = next(filter(None, (_damage(step.text) for step in attempt.prompt)), None)
    if damage is not None:
        found["control"] = damage
    if attempt.key is not None and attempt.reference is None:
        kind = kind_of(attempt.key.accepted, attempt.options)
        found["kind"] = kind
        if script := writing_system(str(attempt.key.accepted[0])):
            found["key_script"] = script
        if kind == CHOICE and attempt.options:
            found["choice"] = _choice(attempt)
        found["answers"] = 0 if kind == NONE else len(members(attempt.key.accepted[0])) if kind == LIST else 1
    if attempt.instruction:
        found["instruction"] = _number(squeeze(attempt.instruction))
    fields = list(_fields_of_the_task(attempt.row))
    if lists := dict(islice(_lists(fields), MOST_FIELDS)):
        found["lists"] = lists
    if dates := dict(islice(_dates(fields), MOST_FIELDS)):
        found["dates"] = dates
    return {"task": found} if found else {}


def _choice(attempt: Attempt) -> list[Any]:
    """What the question asks and what each letter stands for, as numbers: its options may stand in another order."""
    options = {letter: _number(squeeze(text)) for letter, text in attempt.options.items()}
    return [_number(squeeze(stem_of(attempt.task_text))), options]


def _number(text: str) -> int:
    return hash_text(text) & 0xFFFFFFFF


@lru_cache(maxsize=256)
def _script(prompt: str) -> str:
    """The script of a prompt; nothing where it is Latin, as most are."""
    script = writing_system(prompt)
    return "" if script == LATIN else script


@lru_cache(maxsize=256)
def _damage(prompt: str) -> str | None:
    """The first control character of a prompt and what follows it; the attempts at a task have the same prompt."""
    damage = _CONTROL.search(prompt)
    return f"\\x{ord(damage[1]):02x}{damage[2]}" if damage else None


def _lists(fields: Fields) -> Iterator[tuple[str, list[str]]]:
    """Fields with a few short words each: tags, topics, skills. Never what was expected, nor an outcome."""
    for name, value in fields:
        if isinstance(value, list) and 0 < len(value) <= MOST_VALUES:
            texts = [word for word in value if isinstance(word, str) and 0 < len(word) <= LONGEST]
            if len(texts) == len(value):
                yield name, texts


def _dates(fields: Fields) -> Iterator[tuple[str, str]]:
    """Fields with the day on which the task was released, as their name says; never a time of the run."""
    for name, value in fields:
        if isinstance(value, str) and len(value) <= LONGEST and (day := _DATE.match(value)):
            parts = set(words(name.rpartition(".")[2]))
            if parts & _DATED and not parts & _OF_THE_RUN:
                yield name, day.group()


def _fields_of_the_task(row: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Texts and lists that tell of the task, with dotted names: never what was expected, nor an outcome."""
    for holder in ("", *_HOLDERS):
        inside = row.get(holder) if holder else row
        if not isinstance(inside, dict):
            continue
        for name in where(inside, _is_given if holder else _is_given_beside_the_rest):
            if isinstance(value := inside[name], (str, list)):
                yield f"{holder}.{name}" if holder else name, value


def _is_given(name: str) -> bool:
    return not is_gold(name) and not is_outcome(name)


def _is_given_beside_the_rest(name: str) -> bool:
    """The same in the row itself, where what the rollout did stands, too."""
    return is_metadata(name) and _is_given(name)
