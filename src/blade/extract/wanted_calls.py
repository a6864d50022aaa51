"""How many calls a key lists, where a rollout makes fewer, and whether those it makes are among them."""

from __future__ import annotations

import re
from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.reference import Action, listed_calls

_NO_LETTER = re.compile(r"\W+")


def wanted_calls(attempt: Attempt) -> dict[str, Any]:
    """`wanted_calls`: the calls that the key lists, those made, and those made that agree with one of the key's."""
    wanted = attempt.reference[1] if attempt.reference else listed_calls(attempt.row)
    made = attempt.calls
    if len(made) >= len(wanted):
        return {}
    open_ones = list(wanted)
    for call in made:
        met = next((one for one in open_ones if _agrees(call.name, call.arguments, one)), None)
        if met is not None:
            open_ones.remove(met)
    return {"wanted_calls": [len(wanted), len(made), len(wanted) - len(open_ones)]}


def _agrees(name: str, arguments: Any, wanted: Action) -> bool:
    """Whether a call is the wanted one: each argument is right, and each that is left out may be."""
    if _plain(name) != _plain(wanted[0]):
        return False
    given, expected = arguments or {}, wanted[1] or {}
    if not isinstance(given, dict) or not isinstance(expected, dict):
        return bool(given == expected)
    right = all(key in expected and _fits(value, expected[key]) for key, value in given.items())
    return right and all(key in given or _may_lack(value) for key, value in expected.items())


def _plain(name: str) -> str:
    return _NO_LETTER.sub("_", name).lower()


def _fits(value: Any, wanted: Any) -> bool:
    return _same(value, wanted) or (isinstance(wanted, list) and any(_same(value, one) for one in wanted))


def _same(value: Any, wanted: Any) -> bool:
    return bool(value == wanted) or str(value).strip().lower() == str(wanted).strip().lower()


def _may_lack(wanted: Any) -> bool:
    """A list of what is right holds nothing at all, too: the argument may be left out."""
    return isinstance(wanted, list) and "" in wanted
