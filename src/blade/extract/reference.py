"""The actions a benchmark expected, where its rows list them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import orjson

from blade.extract.field_roles import where
from blade.extract.names import words
from blade.frozen import frozen

_HOLDERS = ("verifier", "verifier_metadata", "metadata", "task", "info", "verifier_result")
_NAMES = ("name", "tool", "tool_name", "function", "action")
_ARGUMENTS = ("arguments", "args", "kwargs", "parameters", "input")
_ACTIONS = frozenset("action actions call calls".split())
_HINTS = frozenset("expected reference gold golden ground truth target answer solution correct oracle".split())
_EXPECTED = _HINTS - {"answer"}
_ANSWERS = frozenset("output outputs answer answers response responses message messages".split())
MOST = 200

Action = tuple[str, Any]


@frozen
class ActionFields:
    """A list of expected actions: where it stands, and which keys of an entry name the tool and its arguments."""

    field: str
    tool: str
    arguments: str
    choices: bool = False
    """Whether each argument is a list of the values that are right."""


def chosen(actions: Sequence[Action], calls: Sequence[Action]) -> list[Action]:
    """Expected actions whose arguments list what is right, with the values that the nearest calls chose of them.

    Where no call has one, the first stands for all. An argument that may be left out is, where the call does so.
    """
    left = list(calls)
    resolved: list[Action] = []
    for name, arguments in actions:
        same_tool = [call for call in left if call[0] == name]
        nearest = max(same_tool, key=lambda call: _chosen_by(arguments, call[1]), default=None)
        if nearest is not None:
            left.remove(nearest)
        given = nearest[1] if nearest is not None and isinstance(nearest[1], dict) else {}
        resolved.append((name, _choice(arguments, given)))
    return resolved


def _chosen_by(arguments: Any, given: Any) -> int:
    if not isinstance(arguments, dict) or not isinstance(given, dict):
        return 0
    return sum(isinstance(right, list) and given.get(key, right) in right for key, right in arguments.items())


def _choice(arguments: Any, given: dict[str, Any]) -> Any:
    if not isinstance(arguments, dict):
        return arguments
    choice: dict[str, Any] = {}
    for key, right in arguments.items():
        if not isinstance(right, list):
            choice[key] = right
        elif key in given and given[key] in right:
            choice[key] = given[key]
        elif (values := [value for value in right if value not in ("", None)]) and (
            key in given or len(values) == len(right)
        ):
            choice[key] = values[0]
    return choice


def reference_actions(
    row: dict[str, Any], declared: str | None = None, learned: ActionFields | None = None
) -> tuple[str, list[Action]] | None:
    """The dotted name of the field and its (tool, arguments) in order; None where no field lists actions.

    A declared field is the only one looked at, else a learned one. An empty list counts where its name speaks of
    actions: nothing was to be done.
    """
    if declared is None and learned is not None:
        value = _at(row, learned.field)
        actions = _actions(value, (learned.tool,), (learned.arguments,)) if isinstance(value, list) else None
        return (learned.field, actions) if actions is not None else None
    if declared is not None:
        value = _at(row, declared)
        actions = _actions(value) if isinstance(value, list) else None
        return (declared, actions) if actions is not None else None
    for name, value in _lists(row):
        if value or set(words(name)) & _ACTIONS:
            actions = _actions(value)
            if actions is not None:
                return name, actions
    return None


def listed_calls(row: dict[str, Any]) -> list[Action]:
    """The calls of a key that writes each as the tool's name over its arguments, which may be lists of what is right.

    As an argument may be right in several ways, these are no actions that another call could be held against in words.
    """
    for _, value in _lists(row):
        pairs = [next(iter(item.items())) for item in value[:MOST] if isinstance(item, dict) and len(item) == 1]
        if pairs and len(pairs) == len(value[:MOST]) and all(isinstance(inner, dict) for _, inner in pairs):
            return pairs
    return []


def _lists(row: dict[str, Any]) -> Iterator[tuple[str, list[Any]]]:
    """The lists that may be a key, by their dotted names."""
    for name in ("", *_HOLDERS):
        holder = row.get(name) if name else row
        if isinstance(holder, dict):
            for key in where(holder, _may_be_key):
                if isinstance(value := holder[key], list):
                    yield f"{name}.{key}" if name else key, value


def _may_be_key(name: str) -> bool:
    return not _HINTS.isdisjoint(words(name))


def expected_answers(row: dict[str, Any], field: str) -> int | None:
    """How many answers are expected beside the actions; None where the row does not list them."""
    return max((len(answers) for answers in answer_lists(row, field)), default=None)


def answer_lists(row: dict[str, Any], field: str) -> list[list[Any]]:
    """The fields beside the expected actions that list expected answers."""
    prefix, _, own_key = field.rpartition(".")
    holder = _at(row, prefix) if prefix else row
    if not isinstance(holder, dict):
        return []
    lists = [
        value
        for key, value in holder.items()
        if key != own_key
        and set(words(key)) & _EXPECTED
        and set(words(key)) & _ANSWERS
        and isinstance(value, list | str)
    ]
    return [value if isinstance(value, list) else [value] * bool(value) for value in lists]


def argument_field(
    row: dict[str, Any], field: str, index: int, learned: ActionFields | None = None
) -> tuple[str, Any] | None:
    """The dotted name and the value of the arguments of one expected action, as they stand in the row."""
    value = _at(row, field)
    item = value[index] if isinstance(value, list) and index < len(value) else None
    if not isinstance(item, dict):
        return None
    names = _ARGUMENTS if learned is None else (learned.arguments,)
    arguments_key = next((name for name in names if name in item), None)
    return (f"{field}.{index}.{arguments_key}", item[arguments_key]) if arguments_key else None


def _at(row: dict[str, Any], field: str) -> Any:
    value: Any = row
    for key in field.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _actions(
    value: list[Any], names: tuple[str, ...] = _NAMES, argument_names: tuple[str, ...] = _ARGUMENTS
) -> list[Action] | None:
    actions: list[Action] = []
    for item in value[:MOST]:
        if not isinstance(item, dict):
            return None
        name = next((item[key] for key in names if isinstance(item.get(key), str)), None)
        if name is None or not item.keys() & set(argument_names):
            return None
        actions.append((name, _parsed(next((item[key] for key in argument_names if key in item), None))))
    return actions


def _parsed(value: Any) -> Any:
    if isinstance(value, str):
        try:
            return orjson.loads(value)
        except orjson.JSONDecodeError:
            return value
    return value
