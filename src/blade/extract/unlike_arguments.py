"""All values in which the changes of a rollout differ from the expected ones that they come nearest to."""

from __future__ import annotations

from typing import Any

import orjson

from blade.extract.against_reference import action_digest, differences, nearest_calls, plain
from blade.extract.attempt import Attempt
from blade.extract.json_spans import dotted
from blade.extract.shown_values import shown
from blade.extract.text import clip

MOST = 8
LONGEST = 60


def unlike_arguments(attempt: Attempt) -> dict[str, Any]:
    """`unlike`: `[tool, argument, given, expected, whether that was shown (1, 0 or null), digest of the action]`.

    A call that equals no expected one belongs to the one it differs from least; the same place of a list is one
    argument.
    """
    changes = attempt.changes
    if changes is None or not attempt.lost:
        return {}
    made = [change for change in changes.made if not change.failed]
    by_key = {change.key for change in made}
    missing = {place: action for place, action in changes.expected.items() if changes.keys[place] not in by_key}
    expected_keys = set(changes.keys.values())
    outside = [change for change in made if change.key not in expected_keys]
    entries: list[list[Any]] = []
    for place, nearest in nearest_calls(missing, outside):
        name, arguments = missing[place]
        digest = action_digest(name, arguments)
        for path, given, expected in differences(plain(nearest.call.arguments), plain(arguments)):
            stands = shown(attempt, expected)
            values = (_text(value) for value in (given, expected))
            entries.append([name, dotted(path), *values, None if stands is None else int(stands), digest])
    return {"unlike": entries[:MOST]} if entries else {}


def _text(value: Any) -> str:
    return clip(value if isinstance(value, str) else orjson.dumps(value, default=str).decode(), LONGEST)
