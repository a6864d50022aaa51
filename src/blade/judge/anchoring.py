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
from blade.checking.numbers import Printed
from blade.checking.tokens import tokens
from blade.judge.agreement import numbers_agree, states_value
from blade.judge.base import Base
from blade.judge.reading import number_with_unit
from blade.judge.stopwords import PARAGRAPHS, TEMPLATE
from blade.judge.verify import CONTRADICTED, Held, Verified
from blade.judge.vocabulary import Thing, pieces_of
from blade.judge.words import SMALL, content

MARGIN = 0.05
WORDS, PAIRS = 0.55, 0.45
SALAD = 150
FROM_TABLE = 0.5
"""What an anchor counts for that only a table row states."""
_BOUND = re.compile(r"\b(?:under|over|below|above|than|least|most)\s+$", re.IGNORECASE)
"""A number behind such a word is a bound, not a value to be found again."""
_QUOTED = re.compile(r"(?<=[\"”`]):\s.*$|\([^()]*[\"`'][^()]*\)|:\s[^;:]*$|`[^`]*\([^`]*\)`|\"[^\"]*\"")
"""Quotes, and the wording of one example behind a colon: their numbers are no part of the fact."""


@dataclass(frozen=True, slots=True)
class Hit:
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
    things: frozenset[Thing]
    tasks: frozenset[str]
    numbers: tuple[Printed, ...]
    weights: dict[str, float]
    threshold: float = 0.0
    known: dict[tuple[str, ...], float] = field(default_factory=dict)

    def likeness(self, stems: tuple[str, ...]) -> float:
        """How much of the anchor a window holds: its words, and its words side by side."""
        if stems not in self.known:
            self.known[stems] = self._likeness(stems)
        return self.known[stems]

    def _likeness(self, stems: tuple[str, ...]) -> float:
        shared = self._mine & set(stems)
        words = sum(self.weights.get(word, 1.0) for word in shared) / self._whole if self._whole else 0.0
        if not self.pairs or not words:
            return words
        near = near_pairs(tuple(word for word in stems if word in shared), 2) if len(shared) > 1 else frozenset()
        told = sum(self._weight(pair) for pair in self.pairs & near)
        return WORDS * words + PAIRS * told / self._all_pairs

    @cached_property
    def _mine(self) -> frozenset[str]:
        return frozenset(self.stems)

    @cached_property
    def _whole(self) -> float:
        return sum(self.weights.get(word, 1.0) for word in self._mine)

    @cached_property
    def _all_pairs(self) -> float:
        return sum(self._weight(pair) for pair in self.pairs)

    def _weight(self, pair: tuple[str, str]) -> float:
        return self.weights.get(pair[0], 1.0) + self.weights.get(pair[1], 1.0)


def near_pairs(stems: Sequence[str], reach: int) -> frozenset[tuple[str, str]]:
    """Words that stand near one another, whichever comes first."""
    return frozenset(
        (min(one, other), max(one, other))
        for place, one in enumerate(stems)
        for other in stems[place + 1 : place + 1 + reach]
        if one != other
    )


class Anchoring:
    """The anchors of a package with their thresholds."""

    def __init__(self, base: Base) -> None:
        self.base = base
        self._idf = _weights([*(one.content for one in base.believed), *(content(text) for text in PARAGRAPHS)])
        self._salad: list[tuple[str, ...]] = []
        self._rows: list[Held] = []
        null = self._null
        self.prepared = [self._prepare(anchor, null) for anchor in base.anchors.facts if _counts(anchor, base)]

    @cached_property
    def _null(self) -> list[tuple[str, ...]]:
        """Windows that know nothing: everyday English, phrases of any report, words of the golden report at random."""
        made = [content(text) for text in PARAGRAPHS]
        made += [content(" ".join(TEMPLATE[place : place + 3])) for place in range(len(TEMPLATE) - 2)]
        bag = [word for one in self.base.golden.prose for word in one.content]
        dice = random.Random(6)  # noqa: S311 - seeded: the same thresholds every time
        if bag:
            self._salad = [tuple(dice.choice(bag) for _ in range(20)) for _ in range(SALAD)]
        return made

    def _prepare(self, anchor: Anchor, null: Iterable[tuple[str, ...]]) -> Prepared:
        told = [number_with_unit(token) for token in tokens(anchor.fact, self.base.names)]
        tasks = frozenset(token.text for token in told if token.text in self.base.names.tasks)
        own = _QUOTED.sub(" ", anchor.fact) if anchor.predicate is not None else anchor.fact
        numbers = tuple(
            token.number
            for token in map(number_with_unit, tokens(own, self.base.names))
            if token.number is not None and not _BOUND.search(own, 0, token.start)
        )
        stems = content(anchor.fact)
        pairs = near_pairs(stems, 2)
        things = self.base.vocabulary.things(anchor.fact)
        made = Prepared(anchor, stems, pairs, things, tasks, numbers, self._idf)
        top = max((made.likeness(window) for window in null), default=0.0)
        drawn = sorted(made.likeness(window) for window in self._salad)
        top = max(top, drawn[int(0.95 * len(drawn))] if drawn else 0.0)
        return Prepared(anchor, stems, pairs, things, tasks, numbers, self._idf, top + MARGIN)

    def hits(self, verified: Verified) -> list[Hit]:
        windows = [tuple(verified.of(one.place) for one in window) for window in verified.reading.windows()]
        sound = [window for window in windows if not any(one.flipped or one.pasted for one in window)]
        self._rows = [one for one in verified.held if one.said.kind == "row" and not one.wrong]
        stems = [tuple(word for one in window for word in one.said.content) for window in sound]
        return [self._hit(prepared, sound, stems) for prepared in self.prepared]

    def _hit(self, prepared: Prepared, windows: Sequence[tuple[Held, ...]], stems: Sequence[tuple[str, ...]]) -> Hit:
        anchor = prepared.anchor
        best, top = Hit(anchor, 0.0, False, 0.0, prepared.threshold), 0.0
        for window, told in zip(windows, stems, strict=True):
            likeness = prepared.likeness(told)
            top = max(top, likeness)
            row = window[0].said.kind == "row"
            by = self._met(prepared, window, likeness)
            if not by:
                continue
            credit = 1.0 if not row else FROM_TABLE if anchor.difficulty != "high" else FROM_TABLE / 2
            if (credit, likeness) > (best.credit, best.score):
                best = Hit(anchor, likeness, True, credit, prepared.threshold, window[0].said.line, by)
        return best if best.met else Hit(anchor, top, False, 0.0, prepared.threshold)

    def _met(self, prepared: Prepared, window: tuple[Held, ...], likeness: float) -> str:
        if anchor_off(prepared, window, self.base):
            return ""
        if any(one.verdicts and any(v.outcome == CONTRADICTED for v in one.verdicts) for one in window):
            return ""
        if prepared.anchor.predicate is not None or prepared.anchor.entities:
            return "predicate" if self._by_predicate(prepared, window, likeness) else ""
        if likeness < prepared.threshold or not _things_agree(prepared, window):
            return ""
        told = [*window, *(row for row in self._rows if prepared.things & row.things)]
        return "words" if numbers_agree(prepared.numbers, told) >= 0.5 else ""

    def _by_predicate(self, prepared: Prepared, window: tuple[Held, ...], likeness: float) -> bool:
        """It names every entity, and a number of it agrees; without a number its words must do."""
        anchor = prepared.anchor
        text = " ".join(f"{one.said.text} {one.said.section} {one.said.below}" for one in window)
        told = pieces_of(text)
        for entity in anchor.entities:
            ways = (entity, *anchor.aliases.get(entity, ()))
            if entity == self.base.subject or any(_named(way, text, told) for way in ways):
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


def anchor_off(prepared: Prepared, window: tuple[Held, ...], base: Base) -> bool:
    """Whether the window speaks of another run, or of other tasks than the anchor does."""
    if base.subject and all(one.off_subject for one in window):
        runs = {thing.name for thing in prepared.things if thing.kind == "run"}
        if not runs or base.subject in runs:
            return True
    named = {token.text for one in window for token in one.said.ids} | {task for one in window for task in one.tasks}
    return bool(prepared.tasks) and not prepared.tasks & named


def _named(way: str, text: str, told: Sequence[str]) -> bool:
    if way.lower() in text.lower():
        return True
    stems = [stem for stem in pieces_of(way) if stem not in SMALL]
    if not stems:
        return True
    return sum(stem in told for stem in set(stems)) >= 0.7 * len(set(stems))


def _things_agree(prepared: Prepared, window: tuple[Held, ...]) -> bool:
    """Of each class of things that the anchor names, the window or its headings name one of the same."""
    there = frozenset(thing for one in window for thing in one.things)
    by_kind: dict[str, set[str]] = {}
    for thing in prepared.things:
        by_kind.setdefault(thing.kind, set()).add(thing.name)
    for kind, names in by_kind.items():
        here = {thing.name for thing in there if thing.kind == kind}
        if here and not here & names:
            return False
    return True


def _weights(bags: Iterable[Sequence[str]]) -> dict[str, float]:
    told = [set(bag) for bag in bags if bag]
    seen = Counter(word for bag in told for word in bag)
    return {word: math.log((len(told) + 1) / (many + 0.5)) for word, many in seen.items()}


def share_met(hits: Sequence[Hit], golden: Sequence[Hit]) -> float:
    """The weight of the anchors that are met, of all that the golden report states itself.

    A fact generated from the runs that the golden report leaves out is held against nobody, and one that only its
    tables state counts as much as a table does. Curated facts count whether or not the golden report's words are found.
    """
    wanted = [_wanted(hit) for hit in golden]
    whole = sum(hit.anchor.weight * most for hit, most in zip(hits, wanted, strict=True))
    told = sum(hit.anchor.weight * min(hit.credit, most) for hit, most in zip(hits, wanted, strict=True))
    return told / whole if whole else 0.0


def _wanted(golden: Hit) -> float:
    return golden.credit if golden.anchor.predicate is not None else 1.0
