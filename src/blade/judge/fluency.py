"""Whether it is a text at all: its small words stand as English has them, its sentences where they belong."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from blade.judge.reading import Reading, Said
from blade.judge.settings import SETTINGS
from blade.judge.words import SMALL, content, grammar_class, words_of

FEWEST_WORDS = 60
FEWEST_SENTENCES = 60
SMALL_SHARE = (0.06, 0.14)
"""Below the first share of small words a text is a list; from the second on it is prose."""
BAD_PAIRS = (0.45, 0.75)
"""Impossible pairs of small words, as a share of what shuffling gives: real text lies far below the first."""
PERMUTATIONS = 200
_IMPOSSIBLE = frozenset(
    ("dp", "dx", "dc", "dd", "dn", "d.", "px", "pc", "p.", "xd.", "xp.", "cc", "c.", "nd", "nn", "pp")
)


@dataclass(frozen=True, slots=True)
class Form:
    """How far a report is a text: a factor, and what it is made of."""

    factor: float
    order_of_words: float
    order_of_sentences: float
    cohesion: float | None
    small_words: float

    def within(self, low: float, high: float) -> Form:
        """The same text, its sentences held to stand where they belong from `high` on, and dealt anew below `low`."""
        order = 1.0 if self.cohesion is None else 0.1 + 0.9 * _ramp(self.cohesion, low, high)
        return replace(self, factor=self.factor / self.order_of_sentences * order, order_of_sentences=order)


def form(reading: Reading) -> Form:
    sentences = [one.text for one in reading.prose]
    words = _word_order(sentences)
    share = _small_share(sentences)
    listed = _ramp(share, *SMALL_SHARE) if sum(len(words_of(one)) for one in sentences) >= FEWEST_WORDS else 1.0
    made = Form(words * listed, words, 1.0, cohesion(reading), share)
    return made.within(SETTINGS.cohesion_low, SETTINGS.cohesion_high)


def _ramp(value: float, low: float, high: float) -> float:
    return min(1.0, max(0.0, (value - low) / (high - low)))


def _small_share(sentences: Sequence[str]) -> float:
    found = [word for sentence in sentences for word in words_of(sentence)]
    return sum(word in SMALL for word in found) / len(found) if found else 0.0


def _word_order(sentences: Sequence[str]) -> float:
    """1 where impossible pairs of small words are rare, 0 where they are as common as in shuffled words."""
    pairs: Counter[str] = Counter()
    classes: Counter[str] = Counter()
    for sentence in sentences:
        told = [grammar_class(word) for word in words_of(sentence)]
        classes.update(told)
        classes["."] += 1 if told else 0
        pairs.update(one + other for one, other in zip(told, [*told[1:], "."], strict=False))
    whole = sum(classes.values())
    if whole < FEWEST_WORDS:
        return 1.0
    bad = sum(many for pair, many in pairs.items() if pair in _IMPOSSIBLE)
    chance = sum(classes[pair[0]] * classes[pair[1]] / whole for pair in _IMPOSSIBLE if len(pair) == 2)
    if chance < 3:
        return 1.0
    return 1.0 - _ramp(bad / chance, *BAD_PAIRS)


def _around(reading: Reading) -> dict[tuple[str, str], frozenset[str]]:
    """The words that stay where they are below each heading: of the heading itself, of quotes and of tables."""
    made: dict[tuple[str, str], set[str]] = {}
    for one in reading.said:
        told = made.setdefault((one.section, one.below), set())
        if one.prose:
            told.update(content(f"{one.section} {one.below}"))
            told.update(word.strip("`:,.()*") for word in one.below.split())
        else:
            told.update(_bag(one))
    return {place: frozenset(told) for place, told in made.items()}


def _bag(one: Said) -> frozenset[str]:
    """The words, ids and telling numbers of a statement."""
    numbers = (token.text for token in one.numbers if len(token.text) > 2)
    return frozenset((*one.content, *(token.text for token in one.ids), *numbers))


def cohesion(reading: Reading) -> float | None:
    """How much more the sentences share with what stands around them than if they were dealt anew.

    In standard deviations over permutations; None where there are too few sentences to tell.
    """
    prose = reading.prose
    if len(prose) < FEWEST_SENTENCES:
        return None
    bags = [_bag(one) for one in prose]
    seen = Counter(word for bag in bags for word in bag)
    weight = {word: math.log((len(bags) + 1) / (many + 0.5)) ** 2 for word, many in seen.items()}
    around = _around(reading)
    places = [(one.section, one.below) for one in prose]
    groups = sorted(set(places))
    own = {place: index for index, place in enumerate(groups)}
    fits = [[math.fsum(weight[word] for word in bag & around[place]) for place in groups] for bag in bags]

    def joined(order: Sequence[int]) -> float:
        total = 0.0
        for place, here in enumerate(order):
            total += fits[here][own[places[place]]]
            if place and places[place] == places[place - 1]:
                total += 0.5 * math.fsum(weight[word] for word in bags[here] & bags[order[place - 1]])
        return total

    dice = random.Random(0)  # noqa: S311 - a seeded shuffle, no secret
    order = list(range(len(prose)))
    real = joined(order)
    drawn = []
    for _ in range(PERMUTATIONS):
        dice.shuffle(order)
        drawn.append(joined(order))
    mean = sum(drawn) / len(drawn)
    spread = math.sqrt(sum((one - mean) ** 2 for one in drawn) / len(drawn))
    return (real - mean) / spread if spread > 0 else 0.0
