"""What right answers that a verifier refuses have in their writing, and answers that it accepts have not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from blade.late_regex import late_regex

FEWEST = 3
MOSTLY = 0.6
HARDLY_EVER = 0.05
"""Of the accepted answers so few may have the sign, and of the rollouts with it so few may be accepted."""
THOUSANDS = "a comma between thousands"
MORE_NUMBERS = "another number beside the answer"
NAMED = frozenset({THOUSANDS, MORE_NUMBERS})
"""Signs that are said in words; all others are quoted."""
_COMMAND = late_regex(r"\\[A-Za-z]+")
_THOUSANDS = late_regex(r"\d,\d{3}(?!\d)")
_NUMBER = late_regex(r"\s*[-+$€£]?\d+(?:[., ]\d+)*")
_WORD = late_regex(r"[A-Za-z]{2,}")
_MARK = late_regex(r"[^\w\s\\]")


class SharedSign(NamedTuple):
    sign: str
    refused: int
    of_refused: int
    accepted: int
    of_accepted: int

    @property
    def words(self) -> str:
        return self.sign if self.sign in NAMED else f"“{self.sign}”"


def shared_sign(refused: Sequence[tuple[str, str]], accepted: Sequence[tuple[str, str]]) -> SharedSign | None:
    """The sign of most refused answers that hardly an accepted one has. Each stands beside its key, which lacks it."""
    if len(refused) < FEWEST or len(accepted) < FEWEST:
        return None
    counts, passing = (Counter(sign for pair in pairs for sign in _signs(*pair)) for pairs in (refused, accepted))
    telling = [
        SharedSign(sign, many, len(refused), passing[sign], len(accepted))
        for sign, many in counts.items()
        if many >= max(FEWEST, MOSTLY * len(refused)) and passing[sign] <= HARDLY_EVER * min(many, len(accepted))
    ]
    return max(telling, key=lambda sign: (sign.refused, -sign.accepted, sign.sign in NAMED, sign.sign), default=None)


def _signs(answer: str, key: str) -> set[str]:
    return set(_all_signs(answer)) - set(_all_signs(key))


def _all_signs(text: str) -> Iterator[str]:
    yield from _COMMAND.findall(text)
    yield from (word.casefold() for word in _WORD.findall(_COMMAND.sub(" ", text)))
    yield from _MARK.findall(text)
    if _THOUSANDS.search(text):
        yield THOUSANDS
    number = _NUMBER.match(text)
    if number and any(map(str.isdecimal, text[number.end() :])):
        yield MORE_NUMBERS
