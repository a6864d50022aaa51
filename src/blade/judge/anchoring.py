"""Which anchor facts a report states: by predicate where the anchor has one, else by the words of a window.

A window is one to three sentences of a paragraph, or one table row. The threshold of each anchor is its own: above all
that texts without knowledge of the runs reach. Then the things it names must be there, its numbers must agree, and
nothing in the window may be contradicted or turned round.
"""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from blade.anchors.anchor import FROM_RUNS, Anchor
from blade.checking.numbers import Printed, same_number
from blade.checking.tokens import tokens
from blade.frozen import frozen
from blade.judge.base import Base
from blade.judge.reading import number_with_unit
from blade.judge.stopwords import PARAGRAPHS, TEMPLATE
from blade.judge.verify import CONTRADICTED, CheckedStatement, Verified
from blade.judge.vocabulary import Entity, pieces_of
from blade.judge.words import SMALL, content

CLOSE = 0.06
TELLING = 10
"""From here on a count tells by itself what it is part of."""


def numbers_agree(expected: Sequence[Printed], window: Sequence[CheckedStatement]) -> float:
    if not expected:
        return 1.0
    printed = [token.number for checked in window for token in checked.statement.numbers if token.number is not None]
    return sum(any(close(number, number_there) for number_there in printed) for number in expected) / len(expected)


def close(expected: Printed, printed: Printed) -> bool:
    """Whether two numbers tell the same, one of them perhaps rounded."""
    if expected.unit == "ratio" and printed.unit == "ratio":
        return (expected.value, expected.of) == (printed.value, printed.of)
    rate, printed_rate = _rate(expected), _rate(printed)
    if rate is not None and printed_rate is not None:
        return abs(rate - printed_rate) <= max(0.006, CLOSE * abs(rate))
    if expected.unit == "ratio" and printed.unit == "plain":
        return expected.value >= TELLING and printed.value == expected.value
    if expected.unit == "plain" and printed.unit in {"plain", "ratio"}:
        return same_number(expected, Printed(printed.value, printed.decimals, "plain"), signed=False)
    return False


def _rate(number: Printed) -> float | None:
    if number.unit == "ratio":
        return number.value / number.of if number.of else None
    if number.unit in {"percent", "points"}:
        return abs(number.value) / 100
    return abs(number.value) if number.decimals >= 2 and abs(number.value) <= 1 else None


def states_value(value: float, anchor: Anchor, window: tuple[CheckedStatement, ...]) -> bool:
    """Whether a number of the window is the predicate's value within its tolerance."""
    slack = anchor.predicate.tolerance if anchor.predicate else 0.0
    for checked in window:
        for token in checked.statement.numbers:
            number = token.number
            if number is None:
                continue
            rate = _rate(number)
            if (
                rate is not None
                and abs(value) <= 1.0
                and abs(rate - abs(value)) <= max(slack, 0.5 * 10.0 ** -(number.decimals + 2), 0.005)
            ):
                return True
            if number.unit in {"plain", "ratio"} and abs(abs(number.value) - abs(value)) <= max(
                slack, 0.5 * 10.0**-number.decimals - 1e-9
            ):
                return True
    return False


MARGIN = 0.05
WORDS, PAIRS = 0.55, 0.45
SALAD = 150
FROM_TABLE = 0.5
"""What an anchor counts for that only a table row states."""
ENOUGH_STEMS = 0.7
STRAY_WORDS = 3
"""A thing is named by most of its words, near one another: not by "goes wrong" here and "an answer" there."""
_BOUND = re.compile(r"\b(?:under|over|below|above|than|least|most)\s+$", re.IGNORECASE)
"""A number behind such a word is a bound, not a value to be found again."""
_QUOTED = re.compile(r"(?<=[\"”`]):\s.*$|\([^()]*[\"`'][^()]*\)|:\s[^;:]*$|`[^`]*\([^`]*\)`|\"[^\"]*\"")
"""Quotes, and the wording of one example behind a colon: their numbers are no part of the fact."""


@frozen
class AnchorHit:
    """One anchor in one report."""

    anchor: Anchor
    score: float
    met: bool
    credit: float
    threshold: float
    line: int | None = None
    by: str = ""


@dataclass(frozen=True)
class Prepared:
    """An anchor, ready to be looked for."""

    anchor: Anchor
    stems: tuple[str, ...]
    pairs: frozenset[tuple[str, str]]
    entities: frozenset[Entity]
    tasks: frozenset[str]
    numbers: tuple[Printed, ...]
    weights: dict[str, float]
    threshold: float = 0.0
    likenesses: dict[tuple[str, ...], float] = field(default_factory=dict)

    def likeness(self, stems: tuple[str, ...]) -> float:
        """How much of the anchor a window holds: its words, and its words side by side."""
        if stems not in self.likenesses:
            self.likenesses[stems] = self._likeness(stems)
        return self.likenesses[stems]

    def _likeness(self, stems: tuple[str, ...]) -> float:
        shared = self._own_stems & set(stems)
        words = sum(self.weights.get(word, 1.0) for word in shared) / self._total_weight if self._total_weight else 0.0
        if not self.pairs or not words:
            return words
        near = near_pairs(tuple(word for word in stems if word in shared), 2) if len(shared) > 1 else frozenset()
        shared_weight = sum(self._weight(pair) for pair in self.pairs & near)
        return WORDS * words + PAIRS * shared_weight / self._all_pairs

    @cached_property
    def _own_stems(self) -> frozenset[str]:
        return frozenset(self.stems)

    @cached_property
    def _total_weight(self) -> float:
        return sum(self.weights.get(word, 1.0) for word in self._own_stems)

    @cached_property
    def _all_pairs(self) -> float:
        return sum(self._weight(pair) for pair in self.pairs)

    def _weight(self, pair: tuple[str, str]) -> float:
        return self.weights.get(pair[0], 1.0) + self.weights.get(pair[1], 1.0)


def near_pairs(stems: Sequence[str], reach: int) -> frozenset[tuple[str, str]]:
    """Words that stand near one another, whichever comes first."""
    return frozenset(
        (min(first, second), max(first, second))
        for place, first in enumerate(stems)
        for second in stems[place + 1 : place + 1 + reach]
        if first != second
    )


class Anchoring:
    """The anchors of a package with their thresholds."""

    def __init__(self, base: Base) -> None:
        self.base = base
        self._idf = _weights(
            [*(statement.content for statement in base.believed), *(content(text) for text in PARAGRAPHS)]
        )
        self._salad: list[tuple[str, ...]] = []
        self._rows: list[CheckedStatement] = []
        null = self._null
        self.prepared = [self._prepare(anchor, null) for anchor in base.anchors.facts if _counts(anchor, base)]

    @cached_property
    def _null(self) -> list[tuple[str, ...]]:
        """Windows that know nothing: everyday English, phrases of any report, words of the golden report at random."""
        windows = [content(text) for text in PARAGRAPHS]
        windows += [content(" ".join(TEMPLATE[place : place + 3])) for place in range(len(TEMPLATE) - 2)]
        bag = [word for statement in self.base.golden.prose for word in statement.content]
        dice = random.Random(6)  # noqa: S311 - seeded: the same thresholds every time
        if bag:
            self._salad = [tuple(dice.choice(bag) for _ in range(20)) for _ in range(SALAD)]
        return windows

    def _prepare(self, anchor: Anchor, null: Iterable[tuple[str, ...]]) -> Prepared:
        fact_tokens = [number_with_unit(token) for token in tokens(anchor.fact, self.base.names)]
        tasks = frozenset(token.text for token in fact_tokens if token.text in self.base.names.tasks)
        unquoted = _QUOTED.sub(" ", anchor.fact) if anchor.predicate is not None else anchor.fact
        numbers = tuple(
            token.number
            for token in map(number_with_unit, tokens(unquoted, self.base.names))
            if token.number is not None and not _BOUND.search(unquoted, 0, token.start)
        )
        stems = content(anchor.fact)
        pairs = near_pairs(stems, 2)
        entities = self.base.vocabulary.entities(anchor.fact)
        prepared = Prepared(anchor, stems, pairs, entities, tasks, numbers, self._idf)
        top = max((prepared.likeness(window) for window in null), default=0.0)
        likenesses = sorted(prepared.likeness(window) for window in self._salad)
        top = max(top, likenesses[int(0.95 * len(likenesses))] if likenesses else 0.0)
        return Prepared(anchor, stems, pairs, entities, tasks, numbers, self._idf, top + MARGIN)

    def hits(self, verified: Verified) -> list[AnchorHit]:
        windows = [tuple(verified.of(checked.place) for checked in window) for window in verified.reading.windows()]
        sound = [window for window in windows if not any(checked.flipped or checked.pasted for checked in window)]
        self._rows = [
            checked for checked in verified.statements if checked.statement.kind == "row" and not checked.wrong
        ]
        stems = [tuple(word for checked in window for word in checked.statement.content) for window in sound]
        return [self._hit(prepared, sound, stems) for prepared in self.prepared]

    def _hit(
        self, prepared: Prepared, windows: Sequence[tuple[CheckedStatement, ...]], stems: Sequence[tuple[str, ...]]
    ) -> AnchorHit:
        anchor = prepared.anchor
        best, top = AnchorHit(anchor, 0.0, False, 0.0, prepared.threshold), 0.0
        for window, window_stems in zip(windows, stems, strict=True):
            likeness = prepared.likeness(window_stems)
            top = max(top, likeness)
            row = window[0].statement.kind == "row"
            by = self._met(prepared, window, likeness)
            if not by:
                continue
            credit = 1.0 if not row else FROM_TABLE if anchor.difficulty != "high" else FROM_TABLE / 2
            if (credit, likeness) > (best.credit, best.score):
                best = AnchorHit(anchor, likeness, True, credit, prepared.threshold, window[0].statement.line, by)
        return best if best.met else AnchorHit(anchor, top, False, 0.0, prepared.threshold)

    def _met(self, prepared: Prepared, window: tuple[CheckedStatement, ...], likeness: float) -> str:
        if anchor_off(prepared, window, self.base):
            return ""
        if any(checked.verdicts and any(v.outcome == CONTRADICTED for v in checked.verdicts) for checked in window):
            return ""
        if prepared.anchor.predicate is not None or prepared.anchor.entities:
            return "predicate" if self._by_predicate(prepared, window, likeness) else ""
        if likeness < prepared.threshold or not _entities_agree(prepared, window):
            return ""
        evidence = [*window, *(row for row in self._rows if prepared.entities & row.entities)]
        return "words" if numbers_agree(prepared.numbers, evidence) >= 0.5 else ""

    def _by_predicate(self, prepared: Prepared, window: tuple[CheckedStatement, ...], likeness: float) -> bool:
        """It names every entity, and a number of it agrees; without a number its words must do."""
        anchor = prepared.anchor
        text = " ".join(
            f"{checked.statement.text} {checked.statement.section} {checked.statement.below}" for checked in window
        )
        word_pieces = pieces_of(text)
        for entity in anchor.entities:
            spellings = (entity, *anchor.aliases.get(entity, ()))
            if entity == self.base.subject or any(_names_entity(spelling, text, word_pieces) for spelling in spellings):
                continue
            return False
        if prepared.numbers:
            return numbers_agree(prepared.numbers, window) >= 0.5
        value = anchor.predicate.value if anchor.predicate else None
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return states_value(float(value), anchor, window)
        return likeness >= prepared.threshold


def _counts(anchor: Anchor, base: Base) -> bool:
    """A sentence of the golden report that no predicate covers is a draft until somebody accepted it."""
    drafted = base.anchors.extraction_method == FROM_RUNS and anchor.kind == "manual"
    return not drafted or bool((anchor.review or {}).get("accepted"))


def anchor_off(prepared: Prepared, window: tuple[CheckedStatement, ...], base: Base) -> bool:
    """Whether the window speaks of another run, or of other tasks than the anchor does."""
    if base.subject and all(checked.off_subject for checked in window):
        runs = {entity.name for entity in prepared.entities if entity.kind == "run"}
        if not runs or base.subject in runs:
            return True
    tasks_named = {token.text for checked in window for token in checked.statement.ids} | {
        task for checked in window for task in checked.tasks
    }
    return bool(prepared.tasks) and not prepared.tasks & tasks_named


def _names_entity(spelling: str, text: str, word_pieces: Sequence[str]) -> bool:
    if spelling.lower() in text.lower():
        return True
    words = pieces_of(spelling)
    stems = {stem for stem in words if stem not in SMALL}
    if not stems:
        return True
    places = [place for place, piece in enumerate(word_pieces) if piece in stems]
    reach = len(words) + STRAY_WORDS
    return any(
        len(stems.intersection(word_pieces[place : place + reach])) >= ENOUGH_STEMS * len(stems) for place in places
    )


def _entities_agree(prepared: Prepared, window: tuple[CheckedStatement, ...]) -> bool:
    """Of each class of things that the anchor names, the window or its headings name one of the same."""
    entities = frozenset(entity for checked in window for entity in checked.entities)
    by_kind: dict[str, set[str]] = {}
    for entity in prepared.entities:
        by_kind.setdefault(entity.kind, set()).add(entity.name)
    for kind, names in by_kind.items():
        names_there = {entity.name for entity in entities if entity.kind == kind}
        if names_there and not names_there & names:
            return False
    return True


def _weights(bags: Iterable[Sequence[str]]) -> dict[str, float]:
    word_sets = [set(bag) for bag in bags if bag]
    document_counts = Counter(word for bag in word_sets for word in bag)
    return {word: math.log((len(word_sets) + 1) / (count + 0.5)) for word, count in document_counts.items()}


def share_met(hits: Sequence[AnchorHit], golden: Sequence[AnchorHit]) -> float:
    """The weight of the anchors that are met, of all that the golden report states itself.

    A fact generated from the runs that the golden report leaves out is held against nobody, and one that only its
    tables state counts as much as a table does. Curated facts count whether or not the golden report's words are found.
    """
    reachable = [_reachable_credit(hit) for hit in golden]
    total = sum(hit.anchor.weight * limit for hit, limit in zip(hits, reachable, strict=True))
    earned = sum(hit.anchor.weight * min(hit.credit, limit) for hit, limit in zip(hits, reachable, strict=True))
    return earned / total if total else 0.0


def _reachable_credit(golden: AnchorHit) -> float:
    return golden.credit if golden.anchor.predicate is not None else 1.0
