"""How many calls a key lists, where a rollout makes fewer, and whether those it makes are among them."""

from __future__ import annotations

from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.reference import Action, listed_calls
from blade.late_regex import late_regex

_NO_LETTER = late_regex(r"\W+")


def wanted_calls(attempt: Attempt) -> dict[str, Any]:
    """`wanted_calls`: the calls that the key lists, those made, and those made that agree with one of the key's."""
    expected_calls = attempt.reference[1] if attempt.reference else listed_calls(attempt.row)
    calls = attempt.calls
    if len(calls) >= len(expected_calls):
        return {}
    open_ones = list(expected_calls)
    for call in calls:
        match = next(
            (expected_call for expected_call in open_ones if _agrees(call.name, call.arguments, expected_call)), None
        )
        if match is not None:
            open_ones.remove(match)
    return {"wanted_calls": [len(expected_calls), len(calls), len(expected_calls) - len(open_ones)]}


def _agrees(name: str, arguments: Any, expected_call: Action) -> bool:
    """Whether a call is the wanted one: each argument is right, and each that is left out may be."""
    if _plain(name) != _plain(expected_call[0]):
        return False
    arguments_given, expected = arguments or {}, expected_call[1] or {}
    if not isinstance(arguments_given, dict) or not isinstance(expected, dict):
        return bool(arguments_given == expected)
    right = all(key in expected and _fits(value, expected[key]) for key, value in arguments_given.items())
    return right and all(key in arguments_given or _may_lack(value) for key, value in expected.items())


def _plain(name: str) -> str:
    return _NO_LETTER.sub("_", name).lower()


def _fits(value: Any, expected_value: Any) -> bool:
    return _is_equal(value, expected_value) or (
        isinstance(expected_value, list) and any(_is_equal(value, alternative) for alternative in expected_value)
    )


def _is_equal(value: Any, expected_value: Any) -> bool:
    return bool(value == expected_value) or str(value).strip().lower() == str(expected_value).strip().lower()


def _may_lack(expected_value: Any) -> bool:
    """A list of what is right holds nothing at all, too: the argument may be left out."""
    return isinstance(expected_value, list) and "" in expected_value
