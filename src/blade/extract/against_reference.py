"""The calls of a rollout beside the actions that its benchmark expected: the first that is wrong, missing or too many.

Only what changes something is compared, and only what went well can match; the order alone is never an error.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import orjson
from xxhash import xxh3_64_intdigest

from blade.extract.calls import Call, changing_name, writes
from blade.extract.json_spans import Path
from blade.extract.names import words
from blade.extract.reference import Action
from blade.extract.text import canonical

WRONG_TOOL, WRONG_ARGUMENT, MISSING, EXTRA = "wrong_tool", "wrong_argument", "missing", "extra"
REJECTED_AS_EXPECTED = ": it is tried and rejected"
"""So ends what is told of an action that is missing where a call just as it was expected was rejected."""
_PEOPLE = frozenset("human humans agent agents operator representative supervisor support".split())
_IDENTIFIER = re.compile(r"(?=\D*\d)[\w#-]{4,}").fullmatch
"""A word with a digit in it, no word of a sentence or of a direction."""


@dataclass(frozen=True, slots=True)
class Deviation:
    """The first difference. `index` is the place of the expected action in the reference; None for one too many."""

    kind: str
    index: int | None
    expected: Action | None
    call: Call | None
    path: Path = ()
    """The argument that differs, as a path into the arguments; empty where the tool or the whole differs."""
    made_value: Any = None
    expected_value: Any = None
    tried: Call | None = None
    """A call of the same tool that was rejected: the first before the wrong one, or the nearest to one never made."""


@dataclass(slots=True)
class CountedCall:
    """A call that changes something; `key` is tool and canonical arguments."""

    call: Call
    failed: bool
    key: bytes


@dataclass(frozen=True, slots=True)
class Changes:
    """The changes that were expected, by their place in the reference, with their keys; and those that were made."""

    expected: Mapping[int, Action]
    keys: Mapping[int, bytes]
    made: Sequence[CountedCall]


def changes_of(calls: Sequence[Call], actions: Sequence[Action]) -> Changes:
    """What changes something, of the calls and of the expected actions."""
    named = {name for name, _ in actions}
    expected = {place: act for place, act in enumerate(actions) if _counts(act[0], act[1], named)}
    keys = {place: action_key(*act) for place, act in expected.items()}
    return Changes(expected, keys, _counted_calls(calls, named))


def compare(changes: Changes) -> Deviation | None:
    """The first difference between what was done and what was expected; None where the one does the other.

    Its kind is that of the whole attempt: wrong where something is missing and something else was changed, missing
    where nothing else was, as a rejected call changes nothing.
    """
    expected, made = dict(changes.expected), list(changes.made)
    for place, key in changes.keys.items():
        same = next((one for one in made if one.key == key and not one.failed), None)
        if same is not None:
            made.remove(same)
            del expected[place]
    done = [one for one in made if not one.failed]
    found = [_argument(place, expected.pop(place), done) for place in _like(expected, done)]
    rest = list(expected)[: len(done)]
    found += [Deviation(WRONG_TOOL, place, expected.pop(place), done.pop(0).call) for place in rest]
    if not found and not expected:
        found = [Deviation(EXTRA, None, None, one.call) for one in done]
    if found:
        first = min(found, key=lambda one: one.call.place if one.call else 0)
        return replace(first, tried=_tried(first, made))
    return _never_made(expected, [one for one in made if one.failed])


def _never_made(expected: dict[int, Action], rejected: list[CountedCall]) -> Deviation | None:
    """The first expected action that is missing; one that was tried and rejected before any that was not."""
    if not expected:
        return None
    like = _like(expected, rejected)
    if not like:
        place = min(expected)
        return Deviation(MISSING, place, expected[place], None)
    nearest = _argument(like[0], expected[like[0]], list(rejected))
    return replace(nearest, kind=MISSING, call=None, tried=nearest.call)


def _tried(found: Deviation, made: list[CountedCall]) -> Call | None:
    last = found.call
    if last is None:
        return None
    before = (one.call for one in made if one.failed and one.call.name == last.name and one.call.place < last.place)
    return next(before, None)


def _counted_calls(calls: Sequence[Call], named: set[str]) -> list[CountedCall]:
    """The calls that count. One without arguments right after the same call without an answer is its echo."""
    made: list[CountedCall] = []
    before: Call | None = None
    for call in calls:
        echo = before is not None and before.name == call.name and not before.answers and not call.arguments
        if echo and made and made[-1].call is before:
            made[-1].failed = call.failed
        elif not echo and _counts(call.name, call.arguments, named):
            made.append(CountedCall(call, call.failed, action_key(call.name, call.arguments)))
        before = call
    return made


def _counts(name: str, arguments: Any, named: set[str]) -> bool:
    """Whether it changes something; a name that says nothing counts where the reference itself lists it."""
    told = changing_name(name)
    if told is None:
        return name in named or writes(arguments)
    return told and not hands_over(name)


def hands_over(name: str) -> bool:
    """Handing the case to a person ends a conversation and changes nothing that is compared."""
    have = set(words(name))
    return bool(have & {"transfer", "escalate", "handoff"}) and bool(have & _PEOPLE)


def _like(expected: dict[int, Action], made: list[CountedCall]) -> list[int]:
    """Places of expected actions for which a call of the same tool is left, no more of them than there are calls."""
    left = [one.call.name for one in made]
    found = []
    for place, (name, _) in expected.items():
        if name in left:
            left.remove(name)
            found.append(place)
    return found


def _argument(place: int, action: Action, made: list[CountedCall]) -> Deviation:
    """The call of the same tool that comes nearest to an expected action, and the argument that differs."""
    name, arguments = action
    candidates = [one for one in made if one.call.name == name]
    nearest = min(candidates, key=lambda one: _distance(one.call.arguments, arguments))
    made.remove(nearest)
    path, got, wanted = difference(plain(nearest.call.arguments), plain(arguments))
    return Deviation(WRONG_ARGUMENT, place, action, nearest.call, path, got, wanted)


def _distance(made: Any, expected: Any) -> int:
    if not isinstance(made, dict) or not isinstance(expected, dict):
        return 1000
    return sum(plain(made.get(key)) != plain(expected.get(key)) for key in made.keys() | expected.keys())


def difference(made: Any, expected: Any, path: Path = ()) -> tuple[Path, Any, Any]:
    """The first place where two values differ, as deep as it can be told: its path and both values."""
    if isinstance(made, dict) and isinstance(expected, dict):
        for key in (*expected, *(key for key in made if key not in expected)):
            if made.get(key) != expected.get(key):
                return difference(made.get(key), expected.get(key), (*path, key))
    if isinstance(made, list) and isinstance(expected, list) and len(made) == len(expected):
        for place, (one, other) in enumerate(zip(made, expected, strict=True)):
            if one != other:
                return difference(one, other, (*path, place))
    return path, made, expected


def plain(value: Any) -> Any:
    """A value in one writing: JSON inside a string parsed, 1.0 as 1, an argument that is null left out."""
    kind = type(value)
    if kind is str:
        return _parsed(value) if value.startswith(("{", "[")) else value
    if kind is dict:
        return {key: plain(inner) for key, inner in value.items() if inner is not None}
    if kind is list:
        return [plain(inner) for inner in value]
    return int(value) if kind is float and value.is_integer() else value


def _parsed(text: str) -> Any:
    try:
        return plain(orjson.loads(text))
    except orjson.JSONDecodeError:
        return text


def action_key(name: str, arguments: Any) -> bytes:
    """Tool and arguments in one writing: the same action has the same key."""
    return name.encode("utf-8", errors="replace") + b"\x00" + canonical(_any_order(plain(arguments)) or {})


def action_digest(name: str, arguments: Any) -> int:
    """The key of an action as one number."""
    return xxh3_64_intdigest(action_key(name, arguments))


def _argument_name(pair: tuple[Any, Any]) -> str:
    return str(pair[0])


def _any_order(arguments: Any) -> Any:
    """Lists of identifiers in one order: what is meant is a set. Lists of one length belong together pair by pair.

    In which order the arguments are written says nothing.
    """
    if not isinstance(arguments, dict):
        return arguments
    by_length: dict[int, list[str]] = {}
    for key, value in sorted(arguments.items(), key=_argument_name):
        if (
            isinstance(value, list)
            and len(value) > 1
            and all(isinstance(one, str) and _IDENTIFIER(one) for one in value)
        ):
            by_length.setdefault(len(value), []).append(key)
    if not by_length:
        return arguments
    ordered = dict(arguments)
    for keys in by_length.values():
        rows = sorted(zip(*(arguments[key] for key in keys), strict=True))
        ordered.update({key: [row[place] for row in rows] for place, key in enumerate(keys)})
    return ordered
