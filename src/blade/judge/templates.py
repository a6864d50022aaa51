"""Finds for a statement the believed statement that says the same with other numbers, ids or sign.

A template is a statement without its numbers and ids. Where two templates are alike, what stands in their places is
compared: that shows an altered number, a swapped id and a turned sentence whatever the benchmark is about.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher

from blade.checking.numbers import same_number
from blade.checking.outcome import ClaimKind
from blade.checking.redaction import same_before_redaction
from blade.checking.tokens import Token
from blade.frozen import frozen
from blade.judge.reading import ReportStatement
from blade.judge.words import negations, turned

ALIKE = 0.72
FEWEST = 4
"""Content words that a sentence needs to have a template."""
NEAREST = 0.06


@frozen
class StatementMatch:
    """A statement, its believed counterpart, and which of its tokens stand in the place of which."""

    statement: ReportStatement
    template: ReportStatement
    likeness: float
    pairs: tuple[tuple[Token, Token], ...]
    flipped: bool
    wrong_cells: tuple[tuple[str, str], ...] = ()
    """Cells of words that differ: (said, meant)."""


class StatementTemplates:
    """Believed statements, by their words and by their tables."""

    def __init__(self, believed: Iterable[ReportStatement]) -> None:
        self._sentences: list[ReportStatement] = []
        self._of_word: dict[str, list[int]] = {}
        self._tables: dict[tuple[str, ...], dict[str, list[ReportStatement]]] = {}
        self._found: dict[tuple[object, ...], StatementMatch | None] = {}
        for statement in believed:
            if statement.kind == "row":
                self._tables.setdefault(_titles(statement), {}).setdefault(_label(statement), []).append(statement)
            elif statement.kind == "sentence" and len(statement.content) >= FEWEST:
                for word in set(statement.content):
                    self._of_word.setdefault(word, []).append(len(self._sentences))
                self._sentences.append(statement)

    def match(self, statement: ReportStatement) -> StatementMatch | None:
        """The counterpart of a statement; reports that share a sentence look for it once."""
        key = (statement.kind, statement.text, statement.section, statement.below, statement.columns)
        if key not in self._found:
            self._found[key] = self._match(statement)
        match = self._found[key]
        return match if match is None or match.statement is statement else replace(match, statement=statement)

    def _match(self, statement: ReportStatement) -> StatementMatch | None:
        if statement.kind == "row":
            return self._row(statement)
        return self._sentence(statement) if statement.kind == "sentence" else None

    def _sentence(self, statement: ReportStatement) -> StatementMatch | None:
        word_counts = Counter(statement.content)
        if len(statement.content) < FEWEST:
            return None
        shared: Counter[int] = Counter()
        for word in word_counts:
            for place in self._of_word.get(word, ()):
                shared[place] += 1
        close = [place for place, count in shared.items() if count >= ALIKE * len(word_counts) * 0.7]
        scored = [(alike(word_counts, Counter(self._sentences[place].content)), place) for place in close]
        best = max((likeness for likeness, _ in scored), default=0.0)
        if best < ALIKE:
            return None
        near = [
            self._sentences[place]
            for likeness, place in sorted(scored, key=lambda x: (-x[0], x[1]))
            if likeness >= best - NEAREST
        ]
        candidates = [
            candidate
            for candidate in near
            if (candidate.section, candidate.below) == (statement.section, statement.below)
        ] or near
        matches = [_compare(statement, candidate, best) for candidate in candidates[:12]]
        return max(matches, key=lambda match: (sum(_equal(a, b) for a, b in match.pairs), not match.flipped))

    def _row(self, statement: ReportStatement) -> StatementMatch | None:
        table = self._tables.get(_titles(statement))
        if table is None:
            return None
        rows = table.get(_label(statement)) or _other_labels(statement, table)
        if not rows:
            return None
        candidates = [
            candidate
            for candidate in rows
            if (candidate.section, candidate.below) == (statement.section, statement.below)
        ] or rows
        matches = [_compare_rows(statement, candidate) for candidate in candidates]
        return max(matches, key=lambda match: sum(_equal(a, b) for a, b in match.pairs) - len(match.wrong_cells))


def _other_labels(statement: ReportStatement, table: Mapping[str, Sequence[ReportStatement]]) -> list[ReportStatement]:
    """Rows of the table that are the same but for their label: it is the label that differs."""
    values = statement.cells[1:]
    if not any(char.isdigit() for cell in values for char in cell):
        return []
    return [row for rows in table.values() for row in rows if row.cells[1:] == values]


def alike(left: Counter[str], right: Counter[str]) -> float:
    """Dice's likeness of two bags of words."""
    shared = sum((left & right).values())
    return 2 * shared / max(1, sum(left.values()) + sum(right.values()))


def _titles(statement: ReportStatement) -> tuple[str, ...]:
    return tuple(title.lower() for title in statement.columns)


def _label(statement: ReportStatement) -> str:
    """What a row is about: its first cells up to the first that holds a number."""
    return (statement.cells[0] if statement.cells else "").strip("` *").lower()


def _equal(left: Token, right: Token) -> bool:
    if left.number is not None and right.number is not None:
        return same_number(left.number, right.number, signed=bool(left.number.sign and right.number.sign))
    return left.text == right.text


def _mask(tokens: Sequence[Token]) -> list[str]:
    return [
        "#" if token.number is not None else "@" if token.kind is ClaimKind.ID else token.text.lower()
        for token in tokens
    ]


def _compare(statement: ReportStatement, template: ReportStatement, likeness: float) -> StatementMatch:
    matcher = SequenceMatcher(None, _mask(statement.tokens), _mask(template.tokens), False)
    pairs = [
        (statement.tokens[first + step], template.tokens[second + step])
        for first, second, size in matcher.get_matching_blocks()
        for step in range(size)
        if statement.tokens[first + step].number is not None or statement.tokens[first + step].kind is ClaimKind.ID
    ]
    flipped = negations(statement.bare) % 2 != negations(template.bare) % 2 or turned(statement.words, template.words)
    return StatementMatch(statement, template, likeness, tuple(pairs), flipped)


def _compare_rows(statement: ReportStatement, template: ReportStatement) -> StatementMatch:
    pairs: list[tuple[Token, Token]] = []
    wrong: list[tuple[str, str]] = []
    statement_cells, template_cells = list(_by_cell(statement)), list(_by_cell(template))
    for place, cell in enumerate(statement.cells[: len(template.cells)]):
        statement_tokens, template_tokens = (
            statement_cells[place] if place < len(statement_cells) else [],
            template_cells[place] if place < len(template_cells) else [],
        )
        if len(statement_tokens) == len(template_tokens):
            pairs += zip(statement_tokens, template_tokens, strict=True)
        template_cell = template.cells[place]
        words_differ = "/" not in cell and _only_words(cell) != _only_words(template_cell)
        if words_differ and not same_before_redaction(cell, template_cell):
            wrong.append((cell, template_cell))
    return StatementMatch(statement, template, 1.0, tuple(pairs), False, tuple(wrong))


def _only_words(cell: str) -> str:
    return "".join(char for char in cell.lower() if char.isalpha())


def _by_cell(statement: ReportStatement) -> Iterator[list[Token]]:
    begin = 1 if statement.text.lstrip().startswith("|") else 0
    cuts = [place for place, char in enumerate(statement.text) if char == "|"]
    bounds = cuts if begin else [-1, *cuts]
    for place, start in enumerate(bounds):
        end = bounds[place + 1] if place + 1 < len(bounds) else len(statement.text)
        yield [
            token
            for token in statement.tokens
            if start < token.start < end and (token.number is not None or token.kind is ClaimKind.ID)
        ]


def equal(left: Token, right: Token) -> bool:
    return _equal(left, right)
