"""What is known: numbers with the things and words they belong to, found again by their value."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Sequence

from blade.checking.numbers import Printed, same_number, stands_for
from blade.frozen import frozen
from blade.judge.reading import ReportStatement
from blade.judge.vocabulary import Entity, EntityVocabulary, conflict
from blade.judge.words import content
from blade.model import Bucket

_NEVER = Entity("bucket", Bucket.NEVER.value)
NEAR = 0.05
"""How far "about 60%" may be from 59.6%, as a share of it."""


@frozen
class KnownNumber:
    """A number of the fact base: printed in a report that is believed, or counted from the runs."""

    value: float
    entities: frozenset[Entity]
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
            close = same_number(number, self.printed, signed=False)
        else:
            close = stands_for(number, self.value)
        if close or not about:
            return close
        scale = 100.0 if number.unit in {"percent", "points"} and self.printed is None else 1.0
        return _kin(number, self) and abs(abs(self.value) * scale - abs(number.value)) <= NEAR * abs(number.value)


def _kin(number: Printed, candidate: KnownNumber) -> bool:
    if candidate.printed is None:
        return True
    rates = {"percent", "points"}
    return (number.unit in rates) == (candidate.printed.unit in rates)


def digits(number: Printed) -> int:
    """How much a number says by itself: its significant digits."""
    figures = f"{abs(number.value):.{number.decimals}f}".replace(".", "").lstrip("0")
    return max(1, len(figures) + (len(str(number.of)) if number.of else 0))


class Facts:
    """Known numbers by value."""

    def __init__(self, numbers: Iterable[KnownNumber]) -> None:
        self._known = sorted(
            (number for number in numbers if math.isfinite(number.value)),
            key=lambda number: (abs(number.value), number.text),
        )
        self._values = [abs(number.value) for number in self._known]
        self._agreeing: dict[tuple[Printed, bool], tuple[KnownNumber, ...]] = {}

    def __len__(self) -> int:
        return len(self._known)

    def agreeing(self, number: Printed, *, about: bool) -> Iterable[KnownNumber]:
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
        self, number: Printed, entities: frozenset[Entity], words: frozenset[str], tasks: frozenset[str], *, about: bool
    ) -> KnownNumber | None:
        """A fact that agrees and belongs to what the statement speaks of: the less a number says, the more of it.

        A small number of one task is proved by that task's facts alone: some group has "2 of 5" by chance.
        """
        needed = {1: 3, 2: 2}.get(digits(number), 1)
        of_the_task = len(tasks) == 1 and digits(number) <= 2
        best: KnownNumber | None = None
        best_shared = 0
        for candidate in self._all_agreeing(number, about=about):
            shared = (
                len(words & candidate.words) + 2 * len(entities & candidate.entities) + 2 * len(tasks & candidate.tasks)
            )
            if shared < needed or shared <= best_shared or (tasks and candidate.tasks and not tasks & candidate.tasks):
                continue
            if of_the_task and not tasks & candidate.tasks:
                continue
            if not conflict(entities, candidate.entities):
                best, best_shared = candidate, shared
        return best

    def of_failures(self, number: Printed, entities: frozenset[Entity], tasks: frozenset[str]) -> bool:
        """Whether so many attempts of these tasks, or so many tasks, are known to fail."""
        return any(
            (bool(tasks & candidate.tasks) if tasks else not candidate.tasks)
            and not conflict(entities, candidate.entities)
            and not any(entity.kind == "mode" for entity in candidate.entities)
            and (_NEVER in candidate.entities or ("fail" in candidate.words and "pass" not in candidate.words))
            for candidate in self._all_agreeing(number, about=False)
        )

    def _all_agreeing(self, number: Printed, *, about: bool) -> tuple[KnownNumber, ...]:
        """The same numbers are printed over and over, in one report and in the next: they are looked for once."""
        agreeing = self._agreeing.get((number, about))
        if agreeing is None:
            agreeing = self._agreeing[number, about] = tuple(self.agreeing(number, about=about))
        return agreeing


def of_statement(
    statement: ReportStatement, vocabulary: EntityVocabulary, tasks: Sequence[str]
) -> Iterable[KnownNumber]:
    """The numbers of a statement that is believed, with what they belong to."""
    heading_text = f"{statement.section} {statement.below}"
    if statement.kind != "row":
        entities, words = vocabulary.entities(statement.text), frozenset((*statement.content, *content(heading_text)))
        tasks_there = frozenset(token.text for token in statement.ids if token.text in tasks)
        for token in statement.numbers:
            if token.number is not None:
                yield _known_number(token.number, entities, words, statement.text, tasks_there)
        return
    label = statement.cells[0] if statement.cells else ""
    tasks_there = frozenset(token.text for token in statement.ids if token.text in tasks)
    for token in statement.numbers:
        if token.number is None:
            continue
        title = (
            statement.columns[column] if (column := column_of(statement, token.start)) < len(statement.columns) else ""
        )
        entities = vocabulary.entities(f"{label} | {title} | {statement.below}")
        words = frozenset(content(f"{label} {title} {heading_text}"))
        yield _known_number(
            token.number, entities, words, f"{statement.below or statement.section}: {label}, {title}", tasks_there
        )


def column_of(statement: ReportStatement, start: int) -> int:
    """Which column of a row a place is in."""
    return max(0, statement.text[:start].count("|") - (1 if statement.text.lstrip().startswith("|") else 0))


def _known_number(
    number: Printed, entities: frozenset[Entity], words: frozenset[str], text: str, tasks: frozenset[str]
) -> KnownNumber:
    return KnownNumber(number.value, entities, words, text, tasks, number, number.of)
