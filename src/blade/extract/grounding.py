"""Where a value of a call could have come from: the prompt, a user's words, or what a tool answered before."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from blade.extract.attempt import Attempt
from blade.extract.names import words
from blade.extract.places import Path
from blade.model import Step, StepKind

_GIVEN = {StepKind.OUTPUT, StepKind.USER}
_IDS = frozenset("id ids uuid guid identifier".split())


def sources(attempt: Attempt, place: int) -> Iterator[Step]:
    """Everything that somebody other than the agent had said before a step."""
    yield from attempt.prompt
    yield from (step for step in attempt.steps[:place] if step.kind in _GIVEN)


def stands_before(attempt: Attempt, text: str, place: int) -> bool:
    """Whether a text was given before a step; a value that only the case tells apart counts as given."""
    low = text.lower()
    return any(text in step.text or low in attempt.low(step) for step in sources(attempt, place))


def is_id_name(path: Path) -> bool:
    """Whether the argument is named as an identifier: `order_id`, `userId`, `ids.0`."""
    return next((_names_id(part) for part in reversed(path) if isinstance(part, str)), False)


@lru_cache(maxsize=4096)
def _names_id(name: str) -> bool:
    return bool(_IDS.intersection(words(name)[-1:]))
