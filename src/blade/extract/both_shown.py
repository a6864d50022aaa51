"""A wrong argument and the expected one, where one answer of a tool shows both: the wrong entry was taken."""

from __future__ import annotations

from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.value_pairs import value_pair

SHORTEST = 4


def both_shown(attempt: Attempt) -> dict[str, Any]:
    """`both_shown`: `[argument, given, expected, tool, whether the given one stands first]`, of identifiers.

    The shortest answer that holds both tells most.
    """
    name, _, pairs = attempt.once(value_pair).get("value_pair") or ("", "", [])
    if not name or len(pairs) != 1:
        return {}
    given, right = pairs[0]
    if any(len(text) < SHORTEST or not any(map(str.isdigit, text)) for text in (given, right)) or given == right:
        return {}
    holding = [
        (len(answer.text), call.name, answer.text.find(given) < answer.text.find(right))
        for call in attempt.calls
        if (answer := call.answer) is not None and given in answer.text and right in answer.text
    ]
    if not holding:
        return {}
    _, tool, first = min(holding)
    return {"both_shown": [name, given, right, tool, first]}
