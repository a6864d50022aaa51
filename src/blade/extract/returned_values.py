"""Whether the answer to a change shows the value that was asked for: an environment may not make what it accepts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.text import clip, parsed

LONGEST_ANSWER = 50_000
LONGEST_VALUE = 60
MOST_FIELDS = 12


def returned_values(attempt: Attempt) -> dict[str, Any]:
    """`returned`: tool and argument → `[answers with the value, with another, item of the first, asked, shown]`.

    Only accepted calls that change something count, and only plain values that the answer, an object of JSON, holds
    under the name of the argument.
    """
    fields: dict[str, list[Any]] = {}
    for call in attempt.calls:
        text = call.answer.text if call.answer is not None and not call.failed else ""
        if text[:1] != "{" or len(text) > LONGEST_ANSWER or not isinstance(call.arguments, Mapping) or not call.changes:
            continue
        record = parsed(text)
        if not isinstance(record, Mapping):
            continue
        for name, asked in call.arguments.items():
            shown = record.get(name)
            if not isinstance(asked, str | int | float) or not isinstance(shown, str | int | float):
                continue
            counts = fields.setdefault(f"{call.name}.{name}", [0, 0]) if len(fields) < MOST_FIELDS else [0, 0]
            differs = _plain(asked) != _plain(shown)
            counts[differs] += 1
            if differs and len(counts) == 2:
                counts += [call.step.item, clip(str(asked), LONGEST_VALUE), clip(str(shown), LONGEST_VALUE)]
    return {"returned": fields} if fields else {}


def _plain(value: str | float) -> str | float:
    return value.strip().casefold() if isinstance(value, str) else value
