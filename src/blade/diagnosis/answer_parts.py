"""The parts of a task that is graded by several values: how what was handed in stands to what was expected."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal, InvalidOperation

from blade.diagnosis.cases import Case
from blade.extract.part_answers import MOST_PARTS
from blade.extract.same_answer import bare, normal, same
from blade.frozen import frozen
from blade.late_regex import late_regex

CUT = "…"
FEWEST_DIGITS = 3
"""A number of fewer digits is another one rounded by chance."""
MORE_OFTEN, NEARLY_ALL = 2, 0.9
LONGEST_NUMBER = 30
_PLAIN = late_regex(r"[+-]?\d*\.?\d+(?:e[+-]?\d{1,2})?", re.ASCII)
_NO_DIGITS = late_regex(r"\D")
_DECIMALS = late_regex(r"\.(\d+)")
_TRUTH = frozenset("true false yes no y n none null 0 1 pass fail".split())


@frozen
class AnswerPart:
    """One part of a rollout: its name, the expected value, the one handed in, the verdict, what the verifier read."""

    name: str
    expected: str
    answer: str | None
    counts: bool
    reading: str | None

    @property
    def is_wrong(self) -> bool:
        """Whether a value was handed in that does not count, both sides known in full."""
        return not self.counts and self.is_comparable

    @property
    def is_comparable(self) -> bool:
        return bool(self.answer and self.expected) and CUT not in f"{self.answer}{self.expected}"

    @property
    def is_left_out(self) -> bool:
        return not self.counts and self.answer is None and bool(self.expected)

    @property
    def is_equal(self) -> bool:
        return self.is_comparable and are_equal(self.answer or "", self.expected)

    @property
    def is_rounded(self) -> bool:
        """Whether the value is the expected one, rounded to the decimals that were handed in."""
        value, key = number_of(self.answer or ""), number_of(self.expected)
        if value is None or key is None or not self.is_comparable or value == key:
            return False
        places = decimals(self.answer or "")
        digits = len(_NO_DIGITS.sub("", self.answer or "").lstrip("0"))
        return places < decimals(self.expected) and digits >= FEWEST_DIGITS and _is_near(value, key, places)


@frozen
class PartedCase:
    """A judged rollout and its parts, as far as they are kept."""

    case: Case
    parts: tuple[AnswerPart, ...]

    @property
    def wrong(self) -> list[AnswerPart]:
        return [part for part in self.parts if not part.counts]

    @property
    def is_whole(self) -> bool:
        """Whether all wrong parts are known: of very many only some are kept."""
        return len(self.wrong) < MOST_PARTS

    @property
    def is_failure(self) -> bool:
        return not self.case.passed and bool(self.wrong) and self.is_whole


def parted_cases(cases: Sequence[Case]) -> list[PartedCase]:
    """The rollouts that tell their parts; none where the flags do not go with values that are equal to the expected.

    Flags may say something else than whether a value is right: then not nearly all parts that count are equal, and
    they are hardly more often so than those that do not.
    """
    parted = [
        PartedCase(case, tuple(AnswerPart(*part) for part in case.observed["parts"]))
        for case in cases
        if "parts" in case.observed
    ]
    equal: dict[bool, list[bool]] = {True: [], False: []}
    for entry in parted:
        for part in entry.parts:
            if part.is_comparable:
                equal[part.counts].append(part.is_equal)
    right, wrong = ((sum(equal[counts]) / len(equal[counts]) if equal[counts] else 0.0) for counts in (True, False))
    return parted if right >= NEARLY_ALL or right > MORE_OFTEN * wrong else []


def wrong_parts(rows: Sequence[PartedCase]) -> Iterator[tuple[PartedCase, AnswerPart]]:
    """Parts that are wrong by value: neither equal to the expected one nor this one rounded."""
    for entry in rows:
        for part in entry.wrong:
            if part.is_wrong and not part.is_equal and not part.is_rounded:
                yield entry, part


def are_equal(answer: str, key: str) -> bool:
    """Whether two texts say one value: thousands separators, units and percent signs do not tell them apart."""
    if same(answer, key):
        return True
    first, second = number_of(answer), number_of(key)
    return first is not None and first == second


def number_of(text: str) -> Decimal | None:
    """The number that a text says, without separators and units; None for any other text."""
    if len(text) > LONGEST_NUMBER:
        return None
    plain = normal(text)
    for writing in (plain, bare(plain) or ""):
        if _PLAIN.fullmatch(writing):
            try:
                return Decimal(writing)
            except InvalidOperation:  # pragma: no cover - the pattern admits numbers alone
                return None
    return None


def decimals(text: str) -> int:
    """The digits after the point, as they were written."""
    match = _DECIMALS.search(text)
    return len(match[1]) if match else 0


def value_of(text: str) -> str:
    """A text by which equal values are one."""
    number = number_of(text)
    return normal(text) if number is None else f"{number.normalize():f}"


def says_little(text: str) -> bool:
    """Truth values and single letters: wrong ones agree because there is hardly another."""
    plain = normal(text)
    return plain in _TRUTH or (len(plain) < 2 and not plain.isdigit())


def relation_of(answer: str, key: str) -> str:
    """How a number comes from the key in one simple step, in words; empty where it does not."""
    value, wanted = number_of(answer), number_of(key)
    if value is None or not wanted or not value:
        return ""
    hundred, places = Decimal(100), decimals(answer)
    steps = {
        "100 minus the key": hundred - wanted,
        "100 times the key": hundred * wanted,
        "a hundredth of the key": wanted / hundred,
        "the negative of the key": -wanted,
    }
    return next((words for words, number in steps.items() if _is_near(value, number, places)), "")


def _is_near(value: Decimal, number: Decimal, places: int) -> bool:
    """Whether a value is a number rounded to so many places, up or down where it lies in the middle."""
    return abs(value - number) <= Decimal("0.5000001") * Decimal(1).scaleb(-places)
