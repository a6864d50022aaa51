"""Lists of runs with a number each ("A 15, B 3, C 4"), looked up among all such lists that are known to be true.

So are single ratios of a run ("A passes 22 of 80"), among those that the report prints of that run. Known lists are
those of the analysis, those that the report prints in tables and sentences, and those of the questions that are cited.
A list that equals one of them is right; one that equals none is left to others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from blade.checking.markdown_blocks import MarkdownBlock
from blade.checking.measures import PASSING
from blade.checking.names import Names
from blade.checking.numbers import Printed
from blade.checking.outcome import ClaimKind
from blade.checking.statements import bound
from blade.checking.tokens import Token, tokens

FEWEST_RUNS = 3
"""Two numbers agree with something by chance."""
FEWEST_STEMS = 2
"""Words that a sentence must share with the one that prints its ratio."""
SURE_RUNS = 5
"""So many agree with nothing by chance: their words need not be those of the list that is known."""
_BETWEEN = re.compile(r"[\s*_`(:=]*(?:(?:has|had|in|with|at|is|passes|fails|scores|makes)\s+)?[\s*_`(]*", re.IGNORECASE)
_OF = re.compile(r"(?:\s+[^\W\d_]+){0,2}\s+(?:of|in|for|by)[\s*_`]+", re.IGNORECASE)
_STEM = re.compile(r"[^\W\d_]{5,}")
_STEM_LETTERS = 5
_COMMON = frozenset("rollo tasks attem judge passe failu other where which these there their runs".split())
Vector = tuple[tuple[str, tuple[float, int | None]], ...]


@dataclass(frozen=True)
class RunNumbers:
    """Numbers of several runs that belong together, with the tokens that name them."""

    vector: Vector
    tokens: tuple[Token, ...] = ()


class KnownLists:
    """Every list of runs with a number each that is known, with the words that it is known by."""

    def __init__(self, runs: Iterable[str]) -> None:
        self._runs = frozenset(runs)
        self._lists: list[tuple[dict[str, tuple[float, int | None]], frozenset[str]]] = []
        self._ratios: dict[tuple[str, float, int | None], list[str]] = {}

    def add(self, numbers: Mapping[str, tuple[float, int | None]], words: str) -> None:
        if len(numbers) >= FEWEST_RUNS:
            self._lists.append((dict(numbers), stems(words)))

    def add_data(self, value: Any, words: str = "") -> None:
        """The lists inside plain data: objects with runs as keys, and rows that each name their run."""
        if isinstance(value, Mapping):
            by_run = {str(key): inner for key, inner in value.items() if key in self._runs}
            if len(by_run) >= FEWEST_RUNS:
                self._add_columns(by_run, words)
            for key, inner in value.items():
                self.add_data(inner, words if key in self._runs else f"{words} {key}")
        elif isinstance(value, (list, tuple)):
            items = [item for item in value if isinstance(item, Mapping)]
            by_run = {item[key]: item for item in items for key in ("run", "name") if item.get(key) in self._runs}
            if len(by_run) >= FEWEST_RUNS:
                self._add_columns(by_run, words)
            for inner in value:
                self.add_data(inner, words)

    def _add_columns(self, by_run: Mapping[str, Any], words: str) -> None:
        """A number of each run, or each number of an object of each run; sizes of lists are numbers, too."""
        columns: dict[str, dict[str, tuple[float, int | None]]] = {}
        for run, value in by_run.items():
            for key, number in _numbers(value, ""):
                columns.setdefault(key, {})[run] = (number, None)
        for key, column in columns.items():
            rest = dict.fromkeys(by_run, (0.0, None)) if len(column) >= FEWEST_RUNS else {}
            self.add({**rest, **column}, f"{words} {key}")

    def add_report(self, blocks: Sequence[MarkdownBlock], names: Names) -> None:
        """The lists that a report prints: columns and rows of its tables, and lists in its sentences."""
        tables: dict[int, list[MarkdownBlock]] = {}
        for block in blocks:
            if block.kind == "row":
                tables.setdefault(block.block, []).append(block)
            elif block.kind == "sentence":
                for numbers in lists_in(tokens(block.text, names), block.text):
                    self.add(dict(numbers.vector), f"{block.section} {block.below} {block.text}")
                self._add_ratios(block.text, names)
        for rows in tables.values():
            self._add_table(rows, names)

    def _add_ratios(self, text: str, names: Names) -> None:
        """Every "22 of 80" of a sentence that belongs to one run."""
        all_tokens = tokens(text, names)
        runs = [token for token in all_tokens if token.kind is ClaimKind.RUN and token.known]
        for token in all_tokens:
            if token.number is not None and token.number.unit == "ratio":
                owners = bound(token, runs, text)
                if len(owners) == 1:
                    self._ratios.setdefault((owners[0], *_value(token.number)), []).append(text)

    def has_ratio(self, run: str, number: Printed, words: str) -> bool:
        """Whether the report prints this ratio of the run in a sentence that speaks of the same."""
        word_stems = stems(words)
        for text in self._ratios.get((run, *_value(number)), ()):
            if len(word_stems & stems(text)) >= FEWEST_STEMS or (PASSING.search(text) and PASSING.search(words)):
                return True
        return False

    def _add_table(self, rows: Sequence[MarkdownBlock], names: Names) -> None:
        words = f"{rows[0].section} {rows[0].below}"
        columns = rows[0].columns
        by_run = {run: row.cells for row in rows if (run := _run_in(row.cells[0], names))}
        for place in range(1, len(columns)):
            cells = {
                run: number for run, row in by_run.items() if (number := _number_in(row[place : place + 1], names))
            }
            self.add(cells, f"{words} {columns[place]}")
        runs = {place: run for place, title in enumerate(columns) if (run := _run_in(title, names))}
        for row in rows:
            cells = {
                run: number
                for place, run in runs.items()
                if (number := _number_in(row.cells[place : place + 1], names))
            }
            self.add(cells, f"{words} {row.cells[0]}")

    def __contains__(self, asked: tuple[Vector, str]) -> bool:
        """Whether a list with the words around it is one of those that are known."""
        vector, words = asked
        word_stems = stems(words)
        return any(
            all(run in known and _agree(number, known[run]) for run, number in vector)
            and (len(vector) >= SURE_RUNS or word_stems & known_words)
            for known, known_words in self._lists
        )


def _agree(stated: tuple[float, int | None], known: tuple[float, int | None]) -> bool:
    return stated[0] == known[0] and (stated[1] is None or known[1] is None or stated[1] == known[1])


def _numbers(value: Any, key: str) -> Iterator[tuple[str, float]]:
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, (int, float)):
        yield key, float(value)
    elif isinstance(value, (list, tuple)):
        yield key, float(len(value))
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _numbers(inner, f"{key} {name}")


def _run_in(cell: str, names: Names) -> str:
    runs = [token.text for token in tokens(cell, names) if token.kind is ClaimKind.RUN and token.known]
    return runs[0] if len(runs) == 1 else ""


def _number_in(cells: Sequence[str], names: Names) -> tuple[float, int | None] | None:
    numbers = [token.number for cell in cells for token in tokens(cell, names) if token.number is not None]
    return _value(numbers[0]) if len(numbers) == 1 else None


def _value(number: Printed) -> tuple[float, int | None]:
    return number.value, number.of


def lists_in(all_tokens: Sequence[Token], text: str) -> Iterator[RunNumbers]:
    """The lists of a sentence: a number right behind each run, or right before it; each run once, three at least."""
    marks = [token for token in all_tokens if token.number is not None or (token.kind is ClaimKind.RUN and token.known)]
    ahead = [
        (one, two)
        for one, two in pairwise(marks)
        if one.number is None and two.number is not None and _BETWEEN.fullmatch(text, one.end, two.start)
    ]
    behind = [
        (two, one)
        for one, two in pairwise(marks)
        if one.number is not None and two.number is None and _OF.fullmatch(text, one.end, two.start)
    ]
    yield from _split(behind if len(behind) > len(ahead) else ahead)


def _split(pairs: Sequence[tuple[Token, Token]]) -> Iterator[RunNumbers]:
    """A list ends where a run comes again or the unit changes."""
    part: list[tuple[Token, Token]] = []
    for run, number in pairs:
        if part and (run.text in {one.text for one, _ in part} or _unit((run, number)) != _unit(part[0])):
            yield from _list_of(part)
            part = []
        part.append((run, number))
    yield from _list_of(part)


def _unit(pair: tuple[Token, Token]) -> str:
    return pair[1].number.unit if pair[1].number is not None else ""


def _list_of(pairs: Sequence[tuple[Token, Token]]) -> Iterator[RunNumbers]:
    if len(pairs) >= FEWEST_RUNS:
        vector = tuple((run.text, _value(number.number)) for run, number in pairs if number.number is not None)
        if len({number for _, number in vector}) > 1:
            yield RunNumbers(vector, tuple(number for _, number in pairs))


def stems(words: str) -> frozenset[str]:
    """The beginnings of the longer words of a text, without those that every list has."""
    return frozenset(word[:_STEM_LETTERS] for word in _STEM.findall(words.lower().replace("_", " "))) - _COMMON
