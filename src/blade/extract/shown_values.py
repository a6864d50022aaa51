"""Whether a value stands in anything that the model was shown: the request, what users and tools say, the instruction.

A date or a name may be written otherwise there, so its telling parts are looked for as well: figures of four digits or
more, else words of four letters or more.
"""

from __future__ import annotations

from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.prefilter import lowered
from blade.late_regex import late_regex
from blade.model import StepKind

SHORTEST = 4
_FIGURES = late_regex(r"\d{4,}")
_WORDS = late_regex(r"[^\W\d_]{4,}")
_SAID = frozenset({StepKind.USER, StepKind.OUTPUT, StepKind.ENVIRONMENT})


def shown(attempt: Attempt, value: Any) -> bool | None:
    """Whether the value, or a telling part of it, was shown; None for one that is too short to be looked for."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return None
    low = lowered(str(value).strip())
    if len(low) < SHORTEST:
        return None
    parts = _FIGURES.findall(low) or _WORDS.findall(low)
    return any(part in text for text in attempt.once(_texts) for part in (low, *parts))


def _texts(attempt: Attempt) -> tuple[str, ...]:
    prompt = (attempt.low(step) for step in attempt.prompt)
    heard = (attempt.low(step) for step in attempt.steps if step.kind in _SAID)
    return (*prompt, *heard, lowered(attempt.instruction))
