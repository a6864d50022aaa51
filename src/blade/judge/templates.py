"""Finds for a statement the believed statement that says the same with other numbers, ids or sign.

A frame is a statement without its numbers and ids. Where two frames are alike, what stands in their places is compared:
that shows an altered number, a swapped id and a turned sentence whatever the benchmark is about.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from blade.checking.numbers import same
from blade.checking.outcome import Kind
from blade.checking.tokens import Token
from blade.judge.reading import Said
from blade.judge.words import negations, turned

ALIKE = 0.72
FEWEST = 4
"""Content words that a sentence needs to have a frame."""
NEAREST = 0.06


@dataclass(frozen=True, slots=True)
class Beside:
    """A statement, its believed counterpart, and which of its tokens stand in the place of which."""

    said: Said
    meant: Said
    likeness: float
    pairs: tuple[tuple[Token, Token], ...]
    flipped: bool
    wrong_cells: tuple[tuple[str, str], ...] = ()
    """Cells of words that differ: (said, meant)."""


class Frames:
    """Believed statements, by their words and by their tables."""

    def __init__(self, believed: Iterable[Said]) -> None:
        self._sentences: list[Said] = []
        self._of_word: dict[str, list[int]] = {}
        self._tables: dict[tuple[str, ...], dict[str, list[Said]]] = {}
        self._found: dict[tuple[object, ...], Beside | None] = {}
        for said in believed:
            if said.kind == "row":
                self._tables.setdefault(_titles(said), {}).setdefault(_label(said), []).append(said)
            elif said.kind == "sentence" and len(said.content) >= FEWEST:
                for word in set(said.content):
                    self._of_word.setdefault(word, []).append(len(self._sentences))
                self._sentences.append(said)

    def beside(self, said: Said) -> Beside | None:
        """The counterpart of a statement; reports that share a sentence look for it once."""
        key = (said.kind, said.text, said.section, said.below, said.columns)
        if key not in self._found:
            self._found[key] = self._beside(said)
        found = self._found[key]
        return found if found is None or found.said is said else replace(found, said=said)

    def _beside(self, said: Said) -> Beside | None:
        if said.kind == "row":
            return self._row(said)
        return self._sentence(said) if said.kind == "sentence" else None

    def _sentence(self, said: Said) -> Beside | None:
        ours = Counter(said.content)
        if len(said.content) < FEWEST:
            return None
        shared: Counter[int] = Counter()
        for word in ours:
            for place in self._of_word.get(word, ()):
                shared[place] += 1
        close = [place for place, many in shared.items() if many >= ALIKE * len(ours) * 0.7]
        scored = [(alike(ours, Counter(self._sentences[place].content)), place) for place in close]
        best = max((likeness for likeness, _ in scored), default=0.0)
        if best < ALIKE:
            return None
        near = [
            self._sentences[place]
            for likeness, place in sorted(scored, key=lambda x: (-x[0], x[1]))
            if likeness >= best - NEAREST
        ]
        here = [one for one in near if (one.section, one.below) == (said.section, said.below)] or near
        made = [_compare(said, one, best) for one in here[:12]]
        return max(made, key=lambda one: (sum(_equal(a, b) for a, b in one.pairs), not one.flipped))

    def _row(self, said: Said) -> Beside | None:
        table = self._tables.get(_titles(said))
        if table is None:
            return None
        rows = table.get(_label(said)) or _other_labels(said, table)
        if not rows:
            return None
        here = [one for one in rows if (one.section, one.below) == (said.section, said.below)] or rows
        made = [_compare_rows(said, one) for one in here]
        return max(made, key=lambda one: sum(_equal(a, b) for a, b in one.pairs) - len(one.wrong_cells))

    def has_table(self, said: Said) -> bool:
        return _titles(said) in self._tables


def _other_labels(said: Said, table: Mapping[str, Sequence[Said]]) -> list[Said]:
    """Rows of the table that are the same but for their label: it is the label that differs."""
    rest = said.cells[1:]
    if not any(char.isdigit() for cell in rest for char in cell):
        return []
    return [row for rows in table.values() for row in rows if row.cells[1:] == rest]


def alike(ours: Counter[str], theirs: Counter[str]) -> float:
    """Dice's likeness of two bags of words."""
    both = sum((ours & theirs).values())
    return 2 * both / max(1, sum(ours.values()) + sum(theirs.values()))


def _titles(said: Said) -> tuple[str, ...]:
    return tuple(title.lower() for title in said.columns)


def _label(said: Said) -> str:
    """What a row is about: its first cells up to the first that holds a number."""
    return (said.cells[0] if said.cells else "").strip("` *").lower()


def _equal(ours: Token, theirs: Token) -> bool:
    if ours.number is not None and theirs.number is not None:
        return same(ours.number, theirs.number, signed=bool(ours.number.sign and theirs.number.sign))
    return ours.text == theirs.text


def _mask(tokens: Sequence[Token]) -> list[str]:
    return [
        "#" if token.number is not None else "@" if token.kind is Kind.ID else token.text.lower() for token in tokens
    ]


def _compare(said: Said, meant: Said, likeness: float) -> Beside:
    matcher = SequenceMatcher(None, _mask(said.tokens), _mask(meant.tokens), False)
    pairs = [
        (said.tokens[first + step], meant.tokens[second + step])
        for first, second, size in matcher.get_matching_blocks()
        for step in range(size)
        if said.tokens[first + step].number is not None or said.tokens[first + step].kind is Kind.ID
    ]
    flipped = negations(said.bare) % 2 != negations(meant.bare) % 2 or turned(said.words, meant.words)
    return Beside(said, meant, likeness, tuple(pairs), flipped)


def _compare_rows(said: Said, meant: Said) -> Beside:
    pairs: list[tuple[Token, Token]] = []
    wrong: list[tuple[str, str]] = []
    ours, theirs = list(_by_cell(said)), list(_by_cell(meant))
    for place, cell in enumerate(said.cells[: len(meant.cells)]):
        here, there = ours[place] if place < len(ours) else [], theirs[place] if place < len(theirs) else []
        if len(here) == len(there):
            pairs += zip(here, there, strict=True)
        if "/" not in cell and _only_words(cell) != _only_words(meant.cells[place]):
            wrong.append((cell, meant.cells[place]))
    return Beside(said, meant, 1.0, tuple(pairs), False, tuple(wrong))


def _only_words(cell: str) -> str:
    return "".join(char for char in cell.lower() if char.isalpha())


def _by_cell(said: Said) -> Iterator[list[Token]]:
    begin = 1 if said.text.lstrip().startswith("|") else 0
    cuts = [place for place, char in enumerate(said.text) if char == "|"]
    bounds = cuts if begin else [-1, *cuts]
    for place, start in enumerate(bounds):
        end = bounds[place + 1] if place + 1 < len(bounds) else len(said.text)
        yield [
            token
            for token in said.tokens
            if start < token.start < end and (token.number is not None or token.kind is Kind.ID)
        ]


def equal(ours: Token, theirs: Token) -> bool:
    return _equal(ours, theirs)
