"""Looks for quotes in the rollouts: all of them in one pass over the runs' files.

White space is folded, curly marks are made straight and backslashes before signs are left out on both sides. An
ellipsis parts a quote; its parts must follow one another in one text. A quote that is not there comes back with the
passage that is most like it.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Any

import orjson

from blade.checking.statements import Statement
from blade.checking.tokens import LONG_QUOTE, Token
from blade.counting.run import Run
from blade.errors import InputError
from blade.evidence import row_texts
from blade.extract.text import squeeze
from blade.extract.wrapped_lines import joined_lines
from blade.files.lines import UNREADABLE, iter_lines, open_bytes, parse
from blade.wording import printable

_ELLIPSIS = re.compile(r"\s*(?:…|\.\.\.|\[…\]|\[\.\.\.\])\s*")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_CURLY = str.maketrans("“”‘’\u00a0", "\"\"'' ")
_FIELD = re.compile(r"([\w-]+(?:\.[\w-]+)+|[a-z][a-z0-9]*(?:_[a-z0-9]+)+): (\S.*)")
"""A field and its value, as `blade show` prints them; one of the verifier may stand without its folder."""
MOST_NEAR = 400
"""Passages that are held against a quote before its search for a likely one ends."""


@dataclass(slots=True)
class Sought:
    """A quote to be found, and what was found of it."""

    said: Statement
    token: Token
    tasks: frozenset[str]
    """Where it must stand; anywhere if empty."""
    runs: frozenset[str] = frozenset()
    """The run whose rollouts must hold it; any if empty."""
    parts: tuple[str, ...] = ()
    found: bool = False
    elsewhere: str = ""
    """Another task in whose rollouts it stands, or another run."""
    near: str = ""
    likeness: float = 0.5
    tried: int = 0
    anchors: tuple[tuple[str, int], ...] = field(default=())
    row_field: tuple[str, ...] = ()
    """The names that lead to a field of the row, where the quote is a field and its value."""

    def __post_init__(self) -> None:
        named = _FIELD.fullmatch(self.token.text)
        if named:
            self.row_field = tuple(named[1].split("."))
        self.parts = tuple(part for part in _ELLIPSIS.split(folded(self.token.text)) if part)
        self.anchors = _anchors(" ".join(self.parts)) if self.strict else ()

    @property
    def strict(self) -> bool:
        """A passage, not a single word: a word in back-ticks may be a name from elsewhere."""
        return " " in self.token.text and len(self.token.text) > LONG_QUOTE


def folded(text: str) -> str:
    """A text as it is read: on one line, marks straight, and no sign with the backslash that Markdown or JSON adds."""
    line = (printable(text) if len(text) < 1 << 20 else squeeze(text)).translate(_CURLY)
    return _ESCAPED.sub(r"\1", line) if "\\" in line else line


def _anchors(quote: str) -> tuple[tuple[str, int], ...]:
    """The quote's first, middle and last words, and where they stand in it: one of them survives a small change."""
    words = quote.split()
    if len(words) < 2:
        return ()
    size = min(3, max(1, len(words) // 2))
    anchors = []
    for first in sorted({0, (len(words) - size) // 2, len(words) - size}):
        text = " ".join(words[first : first + size])
        anchors.append((text, len(" ".join(words[:first])) + (1 if first else 0)))
    return tuple(anchors)


def stands_in(quote: str, texts: Iterable[str]) -> bool:
    """Whether a quote stands in one of some texts, as a report may quote them."""
    parts = tuple(part for part in _ELLIPSIS.split(folded(quote)) if part)
    return bool(parts) and any(_stands(parts, folded(text)) for text in _with_joined(texts))


def find_quotes(sought: Sequence[Sought], runs: Sequence[Run]) -> None:
    """Marks every quote that stands in a rollout of its task."""
    alike: dict[tuple[object, ...], list[Sought]] = {}
    for quote in sought:
        alike.setdefault((quote.parts, quote.tasks, quote.runs, quote.strict), []).append(quote)
    _search([repeated[0] for repeated in alike.values() if repeated[0].parts], runs)
    for first, *repeats in alike.values():
        for quote in repeats:
            quote.found, quote.elsewhere, quote.near = first.found, first.elsewhere, first.near


def _search(waiting: list[Sought], runs: Sequence[Run]) -> None:
    if not waiting:
        return
    for path, places in _places(runs).items():
        for line, row, texts in _texts(path, places):
            row_text = "\n".join(texts)
            for quote in waiting:
                _look(quote, places[line], [*texts, *_field_text(quote, row)], row_text)
            waiting = [quote for quote in waiting if not quote.found]
            if not waiting:
                return


def _places(runs: Sequence[Run]) -> dict[str, dict[int, tuple[str, str]]]:
    """File → line → the run and the task whose rollout stands there."""
    places: dict[str, dict[int, tuple[str, str]]] = {}
    for run in runs:
        for label, file, line in run.facts.select("label", "file", "line").rows():
            places.setdefault(run.raw.sources[file], {})[line] = (run.name, label)
    return dict(sorted(places.items()))


def _field_text(quote: Sought, row: Any) -> list[str]:
    """The field that a quote names, as it is printed; nothing where the row has no such field, or no plain value."""
    if len(quote.row_field) == 1 and isinstance(row, dict) and isinstance(row.get("verifier"), dict):
        row = row["verifier"] | row
    for name in quote.row_field:
        row = row.get(name) if isinstance(row, dict) else None
    plain = row if isinstance(row, str) else orjson.dumps(row).decode() if isinstance(row, (int, float)) else None
    return [folded(f"{'.'.join(quote.row_field)}: {plain}")] if quote.row_field and plain is not None else []


def _texts(path: str, places: Container[int]) -> Iterator[tuple[int, dict[str, Any], list[str]]]:
    try:
        with open_bytes(path) as stream:
            for line in iter_lines(stream):
                if line.number in places:
                    value = parse(line.data).value
                    if isinstance(value, dict):
                        yield line.number, value, [folded(text) for text in _with_joined(row_texts(value))]
    except UNREADABLE as error:
        raise InputError(f"{path}: cannot be read ({error}).", "Check the file.") from None


def _with_joined(texts: Iterable[str]) -> Iterator[str]:
    """The texts of a row; one with lines that a pane broke also with these joined."""
    for text in texts:
        yield text
        joined = joined_lines(text)
        if joined != text:
            yield joined


def _look(quote: Sought, place: tuple[str, str], texts: Sequence[str], row_text: str) -> None:
    run, task = place
    right_task = not quote.tasks or task in quote.tasks
    right_run = not quote.runs or run in quote.runs
    if (quote.row_field or quote.parts[0] in row_text) and any(_stands(quote.parts, text) for text in texts):
        if right_task and right_run:
            quote.found = True
        elif not quote.elsewhere or (right_task and quote.elsewhere != run):
            quote.elsewhere = run if right_task else task
    elif right_task:
        _nearest(quote, texts, row_text)


def _stands(parts: Sequence[str], text: str) -> bool:
    place = 0
    for part in parts:
        place = text.find(part, place)
        if place < 0:
            return False
        place += len(part)
    return True


def _nearest(quote: Sought, texts: Sequence[str], row: str) -> None:
    """Keeps the passage around an anchor that is most like the quote."""
    quote_text = " ".join(quote.parts)
    anchors = [anchor for anchor in quote.anchors if anchor[0] in row]
    for text in texts if anchors else ():
        for anchor, offset in anchors:
            place = text.find(anchor)
            if place < 0 or quote.tried >= MOST_NEAR:
                continue
            quote.tried += 1
            passage = text[max(0, place - offset) : max(0, place - offset) + len(quote_text)]
            likeness = SequenceMatcher(None, quote_text, passage, False).ratio()
            if likeness > quote.likeness:
                quote.near, quote.likeness = passage, likeness
