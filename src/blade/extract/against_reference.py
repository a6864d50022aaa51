"""The calls of a rollout beside the actions that its benchmark expected: the first that is wrong, missing or too many.

Only what changes something is compared, and only what went well can match; the order alone is never an error.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

import orjson
from xxhash import xxh3_64_intdigest

from blade.extract.calls import Call, changing_name, writes
from blade.extract.json_spans import Path
from blade.extract.names import words
from blade.extract.reference import Action
from blade.extract.text import canonical
from blade.frozen import frozen
from blade.late_regex import late_regex

WRONG_TOOL, WRONG_ARGUMENT, MISSING, EXTRA = "wrong_tool", "wrong_argument", "missing", "extra"
REJECTED_AS_EXPECTED = ": it is tried and rejected"
"""So ends what is told of an action that is missing where a call just as it was expected was rejected."""
_PEOPLE = frozenset("human humans agent agents operator representative supervisor support".split())
_IDENTIFIER = late_regex(r"(?=\D*\d)[\w#-]{4,}").fullmatch
"""A word with a digit in it, no word of a sentence or of a direction."""


@frozen
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


@frozen
class Changes:
    """The changes that were expected, by their place in the reference, with their keys; and those that were made."""

    expected: Mapping[int, Action]
    keys: Mapping[int, bytes]
    made: Sequence[CountedCall]


def changes_of(calls: Sequence[Call], actions: Sequence[Action], changing: Collection[str] = ()) -> Changes:
    """What changes something, of the calls and of the expected actions; `changing` names tools that do, for certain."""
    names = _Names(frozenset(name for name, _ in actions), frozenset(changing))
    expected = {place: act for place, act in enumerate(actions) if _counts(act[0], act[1], names)}
    keys = {place: action_key(*act) for place, act in expected.items()}
    return Changes(expected, keys, _counted_calls(calls, names))


class _Names(NamedTuple):
    """Tools that the reference lists, and tools of which it is certain that they change something."""

    expected: frozenset[str]
    changing: frozenset[str]


def compare(changes: Changes) -> Deviation | None:
    """The first difference between what was done and what was expected; None where the one does the other.

    Its kind is that of the whole attempt: wrong where something is missing and something else was changed, missing
    where nothing else was, as a rejected call changes nothing.
    """
    expected, calls_made = dict(changes.expected), list(changes.made)
    for place, key in changes.keys.items():
        match = next((change for change in calls_made if change.key == key and not change.failed), None)
        if match is not None:
            calls_made.remove(match)
            del expected[place]
    accepted = [change for change in calls_made if not change.failed]
    deviations = []
    for place, nearest in nearest_calls(expected, accepted):
        deviations.append(_argument(place, expected.pop(place), nearest))
        accepted.remove(nearest)
    unmatched = list(expected)[: len(accepted)]
    deviations += [Deviation(WRONG_TOOL, place, expected.pop(place), accepted.pop(0).call) for place in unmatched]
    if not deviations and not expected:
        deviations = [Deviation(EXTRA, None, None, change.call) for change in accepted]
    if deviations:
        first = min(deviations, key=lambda deviation: deviation.call.place if deviation.call else 0)
        return replace(first, tried=_refused_try(first, calls_made))
    met_actions = [action for place, action in changes.expected.items() if place not in expected]
    rejected = [
        change for change in calls_made if change.failed and not _is_try_of(change, met_actions, expected.values())
    ]
    return _never_made(expected, rejected)


def _is_try_of(change: CountedCall, met_actions: Sequence[Action], missing: Iterable[Action]) -> bool:
    """Whether a rejected call is nearer to an expected action that was made in the end than to any that is missing."""
    arguments, name = change.call.arguments, change.call.name
    nearest = [
        min((_distance(arguments, action[1]) for action in actions if action[0] == name), default=math.inf)
        for actions in (met_actions, missing)
    ]
    return nearest[0] < nearest[1]


def _never_made(expected: dict[int, Action], rejected: list[CountedCall]) -> Deviation | None:
    """The first expected action that is missing; one that was tried and rejected before any that was not."""
    if not expected:
        return None
    nearest = nearest_calls(expected, rejected)
    if not nearest:
        place = min(expected)
        return Deviation(MISSING, place, expected[place], None)
    place, tried = nearest[0]
    deviation = _argument(place, expected[place], tried)
    return replace(deviation, kind=MISSING, call=None, tried=deviation.call)


def _refused_try(deviation: Deviation, calls_made: list[CountedCall]) -> Call | None:
    last = deviation.call
    if last is None:
        return None
    before = (
        change.call
        for change in calls_made
        if change.failed and change.call.name == last.name and change.call.place < last.place
    )
    return next(before, None)


def _counted_calls(calls: Sequence[Call], names: _Names) -> list[CountedCall]:
    """The calls that count. One without arguments right after the same call without an answer is its echo."""
    changes: list[CountedCall] = []
    before: Call | None = None
    for call in calls:
        echo = before is not None and before.name == call.name and not before.answers and not call.arguments
        if echo and changes and changes[-1].call is before:
            changes[-1].failed = call.failed
        elif not echo and _counts(call.name, call.arguments, names):
            changes.append(CountedCall(call, call.failed, action_key(call.name, call.arguments)))
        before = call
    return changes


def _counts(name: str, arguments: Any, names: _Names) -> bool:
    """Whether it changes something; a name that says nothing counts where the reference itself lists it."""
    if name in names.changing:
        return True
    by_name = changing_name(name)
    if by_name is None:
        return name in names.expected or writes(arguments)
    return by_name and not hands_over(name)


@lru_cache(maxsize=4096)
def hands_over(name: str) -> bool:
    """Handing the case to a person ends a conversation and changes nothing that is compared."""
    have = set(words(name))
    return bool(have & {"transfer", "escalate", "handoff"}) and bool(have & _PEOPLE)


def nearest_calls(expected: Mapping[int, Action], calls_made: Sequence[CountedCall]) -> list[tuple[int, CountedCall]]:
    """Expected actions, in their order, each with a call of the same tool: those that differ least belong together."""
    distances = sorted(
        (_distance(change.call.arguments, arguments), place, at)
        for place, (name, arguments) in expected.items()
        for at, change in enumerate(calls_made)
        if change.call.name == name
    )
    pairs: dict[int, int] = {}
    taken: set[int] = set()
    for _, place, at in distances:
        if place not in pairs and at not in taken:
            pairs[place] = at
            taken.add(at)
    return [(place, calls_made[at]) for place, at in sorted(pairs.items())]


def _argument(place: int, action: Action, nearest: CountedCall) -> Deviation:
    """The argument in which the call nearest to an expected action differs from it."""
    path, actual, expected_value = difference(plain(nearest.call.arguments), plain(action[1]))
    return Deviation(WRONG_ARGUMENT, place, action, nearest.call, path, actual, expected_value)


def _distance(actual: Any, expected: Any) -> int:
    if not isinstance(actual, dict) or not isinstance(expected, dict):
        return 1000
    return sum(plain(actual.get(key)) != plain(expected.get(key)) for key in actual.keys() | expected.keys())


def difference(actual: Any, expected: Any, path: Path = ()) -> tuple[Path, Any, Any]:
    """The first place where two values differ, as deep as it can be told: its path and both values."""
    if isinstance(actual, dict) and isinstance(expected, dict):
        for key in (*expected, *(key for key in actual if key not in expected)):
            if actual.get(key) != expected.get(key):
                return difference(actual.get(key), expected.get(key), (*path, key))
    if isinstance(actual, list) and isinstance(expected, list) and len(actual) == len(expected):
        for place, (left, right) in enumerate(zip(actual, expected, strict=True)):
            if left != right:
                return difference(left, right, (*path, place))
    return path, actual, expected


def differences(actual: Any, expected: Any, path: Path = ()) -> Iterator[tuple[Path, Any, Any]]:
    """Every place where two values differ, as deep as it can be told."""
    if isinstance(actual, dict) and isinstance(expected, dict):
        parts = [(key, actual.get(key), expected.get(key)) for key in {**expected, **actual}]
    elif isinstance(actual, list) and isinstance(expected, list) and len(actual) == len(expected):
        parts = [(place, *pair) for place, pair in enumerate(zip(actual, expected, strict=True))]
    else:
        if actual != expected:
            yield path, actual, expected
        return
    for key, left, right in parts:
        if left != right:
            yield from differences(left, right, (*path, key))


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
    lists = [
        (key, len(value))
        for key, value in arguments.items()
        if isinstance(value, list)
        and len(value) > 1
        and all(isinstance(item, str) and _IDENTIFIER(item) for item in value)
    ]
    if not lists:
        return arguments
    by_length: dict[int, list[str]] = {}
    for key, length in sorted(lists, key=_argument_name):
        by_length.setdefault(length, []).append(key)
    ordered = dict(arguments)
    for keys in by_length.values():
        rows = sorted(zip(*(arguments[key] for key in keys), strict=True))
        ordered.update({key: [row[place] for row in rows] for place, key in enumerate(keys)})
    return ordered
