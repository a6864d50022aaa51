"""In what state a change met the object that it names: what the rollout had read of it, what had changed it before."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from blade.extract.against_reference import hands_over, plain
from blade.extract.calls import Call, changing_name
from blade.extract.failure import last_words, unlabelled
from blade.extract.text import NO_JSON, clip, parsed
from blade.late_regex import late_regex
from blade.signatures import template

MOST_CHANGES = 40
MOST_FIELDS = 6
MOST_IDS = 4
LONGEST_ANSWER = 20_000
ID = late_regex(r"(?=[^\s]*\d)[^\s]{4,60}")
_STATE = late_regex(r"[A-Za-z][A-Za-z_ ()-]{1,29}")


def circumstances(calls: Sequence[Call]) -> list[list[Any]]:
    """Per change: its tool, the template of its refusal or None, the tool that changed the object before, its fields.

    The object is the one that an id among the arguments names; its fields are the plain words that the latest answer
    before the call says of it. Where neither is known, only a tool whose name changes something is counted.
    """
    changes: list[list[Any]] = []
    earlier: dict[str, str] = {}
    answers = _readable_answers(calls)
    for place, call in enumerate(calls):
        if not may_change(call) or hands_over(call.name):
            continue
        ids = named_ids(call)
        before = next((earlier[object_id] for object_id in ids if object_id in earlier), "")
        fields: dict[str, str] = {}
        for object_id in ids:
            fields = _fields(object_id, answers[:place]) | fields
        telling = before or fields or changing_name(call.name)
        if telling and call.answers and len(changes) < MOST_CHANGES:
            changes.append([call.name, _refusal(call), before, fields])
        if changed(call):
            earlier |= dict.fromkeys(ids, call.name)
    return changes


def states_of_expected(calls: Sequence[Call], expected: Iterable[Any]) -> list[dict[str, str]]:
    """Per expected change, given by its arguments: what was read of its objects before anything had changed them.

    Nothing is told of an object that an expected change before it names: that one may alter its state.
    """
    states: list[dict[str, str]] = []
    altered: set[str] = set()
    changes = [(place, named_ids(call)) for place, call in enumerate(calls) if changed(call)]
    answers = _readable_answers(calls)
    for arguments in expected:
        ids = [object_id for object_id in identifiers(arguments) if object_id not in altered][:MOST_IDS]
        fields: dict[str, str] = {}
        for object_id in ids:
            changing = (place for place, named_ids in changes if object_id in named_ids)
            fields = _fields(object_id, answers[: next(changing, len(calls))]) | fields
        states.append(fields)
        altered.update(ids)
    return states


def changed(call: Call) -> bool:
    """Whether a call changed something: it may, it was answered, and it did not fail."""
    return may_change(call) and not hands_over(call.name) and bool(call.answers) and not call.failed


def identifiers(value: Any) -> list[str]:
    """What looks like an id among arguments, however deep: no space in it, and a digit."""
    ids: list[str] = []
    _add_identifiers(value, ids)
    return ids


def _add_identifiers(value: Any, ids: list[str]) -> None:
    if isinstance(value, str) and value.startswith(("{", "[")):
        value = plain(value)  # JSON inside a string
    if isinstance(value, str):
        if ID.fullmatch(value):
            ids.append(value)
    elif isinstance(value, (dict, list)):
        for inner in value.values() if isinstance(value, dict) else value:
            _add_identifiers(inner, ids)


def may_change(call: Call) -> bool:
    """Whether a call changes something as far as anybody can tell: only names that read are sure not to."""
    return call.changes or changing_name(call.name) is None


def _refusal(call: Call) -> str | None:
    if not call.failed or call.answer is None:
        return None
    return template(last_words(call.problem or "", call.answer.text))


def named_ids(call: Call) -> list[str]:
    """What looks like an id among the arguments of a call: no space in it, and a digit."""
    values = (value for _, value in call.plain if isinstance(value, str) and ID.fullmatch(value))
    return list(dict.fromkeys(values))[:MOST_IDS]


def _readable_answers(calls: Sequence[Call]) -> list[str]:
    """What each call was answered; nothing where it failed, and of an answer that is too long to be read."""
    texts = [call.answer.text if call.answer is not None and not call.failed else "" for call in calls]
    return [text if len(text) <= LONGEST_ANSWER else "" for text in texts]


def _fields(object_id: str, answers: Sequence[str]) -> dict[str, str]:
    """What the latest answer that shows the object says of it in plain words."""
    for text in reversed(answers):
        if object_id in text and (fields := _fields_in(text, object_id)) is not None:
            return fields
    return {}


@lru_cache(maxsize=512)
def _fields_in(answer: str, object_id: str) -> dict[str, str] | None:
    """What an answer says of an object; None where it shows no object with that id. Answers repeat from row to row."""
    value = parsed(unlabelled(answer))
    holder = _holding(value, object_id) if value is not NO_JSON else None
    if holder is None:
        return None
    plain = ((key, clip(value, 40)) for key, value in holder.items() if isinstance(value, str))
    return dict([(key, value) for key, value in plain if _STATE.fullmatch(value)][:MOST_FIELDS])


def _holding(value: Any, object_id: str) -> Mapping[str, Any] | None:
    """The first object in which the id is itself the value of a field."""
    if isinstance(value, dict):
        if object_id in value.values():
            return value
        value = value.values()
    elif not isinstance(value, list):
        return None
    for inner in value:
        if isinstance(inner, dict | list) and (holder := _holding(inner, object_id)) is not None:
            return holder
    return None
