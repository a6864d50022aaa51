"""Values that a simulated user states against its own instruction, and the model follows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.prefilter import lowered
from blade.extract.text import clip
from blade.extract.value_pairs import value_pair
from blade.late_regex import late_regex

SHORTEST, LONGEST = 3, 200
_DATE = late_regex(r"(\d{4})-(\d\d)-(\d\d)")
_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)


def straying_user(attempt: Attempt) -> dict[str, Any]:
    """`straying_user`: `[argument, given, expected, what the user says, its item]` of a wrong argument.

    The user's messages have the given value and never the expected one, and its instruction has the expected one and
    never the given one. Dates may be written in words.
    """
    if not attempt.lost or not attempt.users or not attempt.instruction:
        return {}
    name, _, pairs = attempt.once(value_pair).get("value_pair") or ("", "", [])
    if not name or len(pairs) != 1:
        return {}
    given, right = (_forms(text) for text in pairs[0])
    brief = lowered(attempt.instruction)
    if not _any_in(right, brief) or _any_in(given, brief):
        return {}
    turns = [(step, lowered(step.text)) for _, step in attempt.users]
    if any(_any_in(right, text) for _, text in turns):
        return {}
    stating = next((step for step, text in turns if _any_in(given, text)), None)
    if stating is None:
        return {}
    return {"straying_user": [name, *pairs[0], clip(" ".join(stating.text.split()), LONGEST), stating.item]}


def _any_in(forms: list[str], text: str) -> bool:
    return any(re.search(rf"(?<!\w){re.escape(form)}(?!\w)", text) for form in forms)


def _forms(value: str) -> list[str]:
    """How a value may be said: as it is, a date also by the name of its month."""
    text = lowered(value.strip())
    return [form for form in (text, *_dates(text)) if len(form) >= SHORTEST]


def _dates(text: str) -> Iterator[str]:
    match = _DATE.fullmatch(text)
    if match is None or not 1 <= int(match[2]) <= len(_MONTHS):
        return
    day, month = int(match[3]), _MONTHS[int(match[2]) - 1]
    ending = "th" if 10 < day % 100 < 20 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    for name in (month, month[:3]):
        yield from (f"{name} {day}", f"{name} {day}{ending}", f"{day} {name}", f"{day}{ending} {name}")
        yield f"{day}{ending} of {name}"
    yield from (f"{int(match[2])}/{day}", f"{day}.{int(match[2])}.", f"the {day}{ending}")
