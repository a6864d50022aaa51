"""What is known: numbers with the things and words they belong to, found again by their value."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from blade.checking.numbers import Printed, same, stands_for
from blade.judge.reading import Said
from blade.judge.vocabulary import Thing, Vocabulary, conflict
from blade.judge.words import content
from blade.model import Bucket

_NEVER = Thing("bucket", Bucket.NEVER.value)
NEAR = 0.05
"""How far "about 60%" may be from 59.6%, as a share of it."""


@dataclass(frozen=True, slots=True)
class Known:
    """A number of the fact base: printed in a report that is believed, or counted from the runs."""

    value: float
    things: frozenset[Thing]
    words: frozenset[str]
    text: str
    tasks: frozenset[str] = frozenset()
    printed: Printed | None = None
    of: int | None = None

    def agrees(self, number: Printed, *, about: bool) -> bool:
        if number.unit == "ratio":
            return self.of is not None and (number.value, number.of) == (self.value, self.of)
        if self.printed is not None:
            if self.printed.unit == "ratio":
                return number.unit == "plain" and number.value in {self.printed.value, float(self.printed.of or 0)}
            close = same(number, self.printed, signed=False)
        else:
            close = stands_for(number, self.value)
        if close or not about:
            return close
        scale = 100.0 if number.unit in {"percent", "points"} and self.printed is None else 1.0
        return _kin(number, self) and abs(abs(self.value) * scale - abs(number.value)) <= NEAR * abs(number.value)


def _kin(number: Printed, known: Known) -> bool:
    if known.printed is None:
        return True
    rates = {"percent", "points"}
    return (number.unit in rates) == (known.printed.unit in rates)


def digits(number: Printed) -> int:
    """How much a number says by itself: its significant digits."""
    told = f"{abs(number.value):.{number.decimals}f}".replace(".", "").lstrip("0")
    return max(1, len(told) + (len(str(number.of)) if number.of else 0))


class Facts:
    """Known numbers by value."""

    def __init__(self, known: Iterable[Known]) -> None:
        self._known = sorted(
            (one for one in known if math.isfinite(one.value)), key=lambda one: (abs(one.value), one.text)
        )
        self._values = [abs(one.value) for one in self._known]
        self._agreeing: dict[tuple[Printed, bool], tuple[Known, ...]] = {}

    def __len__(self) -> int:
        return len(self._known)

    def agreeing(self, number: Printed, *, about: bool) -> Iterable[Known]:
        """Every known number that this one may stand for, on its own scale or as a fraction."""
        slack = max(0.5 * 10.0**-number.decimals, NEAR * abs(number.value) if about else 0.0) + 1e-6
        middles = {abs(number.value)}
        if number.unit in {"percent", "points"}:
            middles.add(abs(number.value) / 100)
        elif number.decimals >= 2:
            middles.add(abs(number.value) * 100)
        for middle in sorted(middles):
            wide = slack if middle == abs(number.value) else slack * max(middle, 1e-9) / max(abs(number.value), 1e-9)
            place = bisect_left(self._values, middle - wide)
            while place < len(self._values) and self._values[place] <= middle + wide:
                if self._known[place].agrees(number, about=about):
                    yield self._known[place]
                place += 1

    def proof(
        self, number: Printed, things: frozenset[Thing], words: frozenset[str], tasks: frozenset[str], *, about: bool
    ) -> Known | None:
        """A fact that agrees and belongs to what the statement speaks of: the less a number says, the more of it."""
        needed = {1: 3, 2: 2}.get(digits(number), 1)
        best: Known | None = None
        most = 0
        for known in self._all_agreeing(number, about=about):
            shared = len(words & known.words) + 2 * len(things & known.things) + 2 * len(tasks & known.tasks)
            if shared < needed or shared <= most or (tasks and known.tasks and not tasks & known.tasks):
                continue
            if not conflict(things, known.things):
                best, most = known, shared
        return best

    def of_failures(self, number: Printed, things: frozenset[Thing], tasks: frozenset[str]) -> bool:
        """Whether so many attempts of these tasks, or so many tasks, are known to fail."""
        return any(
            (bool(tasks & known.tasks) if tasks else not known.tasks)
            and not conflict(things, known.things)
            and not any(thing.kind == "mode" for thing in known.things)
            and (_NEVER in known.things or ("fail" in known.words and "pass" not in known.words))
            for known in self._all_agreeing(number, about=False)
        )

    def _all_agreeing(self, number: Printed, *, about: bool) -> tuple[Known, ...]:
        """The same numbers are printed over and over, in one report and in the next: they are looked for once."""
        found = self._agreeing.get((number, about))
        if found is None:
            found = self._agreeing[number, about] = tuple(self.agreeing(number, about=about))
        return found


def of_statement(said: Said, vocabulary: Vocabulary, tasks: Sequence[str]) -> Iterable[Known]:
    """The numbers of a statement that is believed, with what they belong to."""
    around = f"{said.section} {said.below}"
    if said.kind != "row":
        things, words = vocabulary.things(said.text), frozenset((*said.content, *content(around)))
        here = frozenset(token.text for token in said.ids if token.text in tasks)
        for token in said.numbers:
            if token.number is not None:
                yield _known(token.number, things, words, said.text, here)
        return
    label = said.cells[0] if said.cells else ""
    here = frozenset(token.text for token in said.ids if token.text in tasks)
    for token in said.numbers:
        if token.number is None:
            continue
        title = said.columns[column] if (column := column_of(said, token.start)) < len(said.columns) else ""
        things = vocabulary.things(f"{label} | {title} | {said.below}")
        words = frozenset(content(f"{label} {title} {around}"))
        yield _known(token.number, things, words, f"{said.below or said.section}: {label}, {title}", here)


def column_of(said: Said, start: int) -> int:
    """Which column of a row a place is in."""
    return max(0, said.text[:start].count("|") - (1 if said.text.lstrip().startswith("|") else 0))


def _known(number: Printed, things: frozenset[Thing], words: frozenset[str], text: str, tasks: frozenset[str]) -> Known:
    return Known(number.value, things, words, text, tasks, number, number.of)
