"""Where a value of a call could have come from: the prompt, a user's words, or what a tool answered before."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property, lru_cache
from itertools import accumulate

from blade.extract.attempt import Attempt
from blade.extract.json_spans import Path
from blade.extract.names import words
from blade.model import Step, StepKind

_GIVEN = {StepKind.OUTPUT, StepKind.USER, StepKind.ENVIRONMENT}
_IDS = frozenset("id ids uuid guid identifier".split())


class _Given:
    """All that others than the agent said, one text under the other, and where the part before a step ends."""

    def __init__(self, attempt: Attempt) -> None:
        before = [step.text for step in attempt.prompt]
        given_texts = [(place, step.text) for place, step in enumerate(attempt.steps) if step.kind in _GIVEN]
        self._places = [place for place, _ in given_texts]
        sizes = (len(text) + 1 for _, text in given_texts)
        self._ends = list(accumulate(sizes, initial=sum(map(len, before)) + len(before)))
        self.text = "\n".join((*before, *(text for _, text in given_texts)))

    def end(self, place: int) -> int:
        return self._ends[bisect_left(self._places, place)]

    @cached_property
    def low(self) -> str:
        return self.text.lower()


def sources(attempt: Attempt, place: int) -> Iterator[Step]:
    """Everything that somebody other than the agent had said before a step."""
    yield from attempt.prompt
    yield from (step for step in attempt.steps[:place] if step.kind in _GIVEN)


def stands_before(attempt: Attempt, text: str, place: int) -> bool:
    """Whether a text was given before a step; a value that only the case tells apart counts as given."""
    low = text.lower()
    if not text or "\n" in text:
        return any(text in step.text or low in step.text.lower() for step in sources(attempt, place))
    given_text = attempt.once(_Given)
    end = given_text.end(place)
    if given_text.text.isascii():  # then what stands there stands there in lower case too, at the same place
        return given_text.low.rfind(low, 0, end) >= 0
    if given_text.text.rfind(text, 0, end) >= 0:  # what was given last is most often asked for
        return True
    if len(given_text.low) != len(given_text.text):  # a letter became two: the places are others
        return any(low in step.text.lower() for step in sources(attempt, place))
    return given_text.low.rfind(low, 0, end) >= 0


def shows_request(attempt: Attempt) -> bool:
    """Whether the row records what was asked: where it does not, nothing tells what a call's values were taken from."""
    return any(step.text.strip() for step in attempt.prompt) or any(step.text.strip() for _, step in attempt.users)


@lru_cache(maxsize=4096)
def is_id_name(path: Path) -> bool:
    """Whether the argument is named as an identifier: `order_id`, `userId`, `ids.0`."""
    for part in path[::-1]:
        if isinstance(part, str):
            return bool(_IDS.intersection(words(part)[-1:]))
    return False
