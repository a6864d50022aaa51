"""Whether it is a text at all: its small words stand as English has them, its sentences where they belong."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from blade.frozen import frozen
from blade.judge.reading import ReportReading, ReportStatement
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


@frozen
class Fluency:
    """How far a report is a text: a factor, and what it is made of."""

    factor: float
    order_of_words: float
    order_of_sentences: float
    cohesion: float | None
    small_words: float

    def within(self, low: float, high: float) -> Fluency:
        """The same text, its sentences held to stand where they belong from `high` on, and dealt anew below `low`."""
        order = 1.0 if self.cohesion is None else 0.1 + 0.9 * _ramp(self.cohesion, low, high)
        return replace(self, factor=self.factor / self.order_of_sentences * order, order_of_sentences=order)


def fluency(reading: ReportReading) -> Fluency:
    sentences = [statement.text for statement in reading.prose]
    words = _word_order(sentences)
    share = _small_share(sentences)
    listed = (
        _ramp(share, *SMALL_SHARE) if sum(len(words_of(statement)) for statement in sentences) >= FEWEST_WORDS else 1.0
    )
    fluency = Fluency(words * listed, words, 1.0, cohesion(reading), share)
    return fluency.within(SETTINGS.cohesion_low, SETTINGS.cohesion_high)


def _ramp(value: float, low: float, high: float) -> float:
    return min(1.0, max(0.0, (value - low) / (high - low)))


def _small_share(sentences: Sequence[str]) -> float:
    words = [word for sentence in sentences for word in words_of(sentence)]
    return sum(word in SMALL for word in words) / len(words) if words else 0.0


def _word_order(sentences: Sequence[str]) -> float:
    """1 where impossible pairs of small words are rare, 0 where they are as common as in shuffled words."""
    pairs: Counter[str] = Counter()
    classes: Counter[str] = Counter()
    for sentence in sentences:
        classes_of_words = [grammar_class(word) for word in words_of(sentence)]
        classes.update(classes_of_words)
        classes["."] += 1 if classes_of_words else 0
        pairs.update(
            first + second for first, second in zip(classes_of_words, [*classes_of_words[1:], "."], strict=False)
        )
    total = sum(classes.values())
    if total < FEWEST_WORDS:
        return 1.0
    bad = sum(count for pair, count in pairs.items() if pair in _IMPOSSIBLE)
    chance = sum(classes[pair[0]] * classes[pair[1]] / total for pair in _IMPOSSIBLE if len(pair) == 2)
    if chance < 3:
        return 1.0
    return 1.0 - _ramp(bad / chance, *BAD_PAIRS)


def _surroundings(reading: ReportReading) -> dict[tuple[str, str], frozenset[str]]:
    """The words that stay where they are below each heading: of the heading itself, of quotes and of tables."""
    words_by_place: dict[tuple[str, str], set[str]] = {}
    for statement in reading.statements:
        words = words_by_place.setdefault((statement.section, statement.below), set())
        if statement.prose:
            words.update(content(f"{statement.section} {statement.below}"))
            words.update(word.strip("`:,.()*") for word in statement.below.split())
        else:
            words.update(_bag(statement))
    return {place: frozenset(words) for place, words in words_by_place.items()}


def _bag(statement: ReportStatement) -> frozenset[str]:
    """The words, ids and telling numbers of a statement."""
    numbers = (token.text for token in statement.numbers if len(token.text) > 2)
    return frozenset((*statement.content, *(token.text for token in statement.ids), *numbers))


def cohesion(reading: ReportReading) -> float | None:
    """How much more the sentences share with what stands around them than if they were dealt anew.

    In standard deviations over permutations; None where there are too few sentences to tell.
    """
    prose = reading.prose
    if len(prose) < FEWEST_SENTENCES:
        return None
    bags = [_bag(statement) for statement in prose]
    document_counts = Counter(word for bag in bags for word in bag)
    weight = {word: math.log((len(bags) + 1) / (count + 0.5)) ** 2 for word, count in document_counts.items()}
    surroundings = _surroundings(reading)
    places = [(statement.section, statement.below) for statement in prose]
    groups = sorted(set(places))
    index_of_place = {place: index for index, place in enumerate(groups)}
    fits = [[math.fsum(weight[word] for word in bag & surroundings[place]) for place in groups] for bag in bags]

    def joined(order: Sequence[int]) -> float:
        total = 0.0
        for place, group in enumerate(order):
            total += fits[group][index_of_place[places[place]]]
            if place and places[place] == places[place - 1]:
                total += 0.5 * math.fsum(weight[word] for word in bags[group] & bags[order[place - 1]])
        return total

    dice = random.Random(0)  # noqa: S311 - a seeded shuffle, no secret
    order = list(range(len(prose)))
    real = joined(order)
    shuffled_fits = []
    for _ in range(PERMUTATIONS):
        dice.shuffle(order)
        shuffled_fits.append(joined(order))
    mean = sum(shuffled_fits) / len(shuffled_fits)
    spread = math.sqrt(sum((fit - mean) ** 2 for fit in shuffled_fits) / len(shuffled_fits))
    return (real - mean) / spread if spread > 0 else 0.0
