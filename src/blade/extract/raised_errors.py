"""The errors that were raised while an answer was judged: the lines that end the tracebacks in the verifier's logs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from blade.extract.names import is_gold, is_metadata
from blade.extract.prefilter import holds_any
from blade.extract.row_texts import RowText, row_texts
from blade.late_regex import late_regex

LONGEST = 200
_HINTS = ("Traceback (most recent call last)", '", line ', "\nE   ")
"""A log that was cut at its front still names the lines of its frames."""
_ERROR = late_regex(r"^(?:E {2,})?(?P<line>(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception)(?:: \S.*)?)$", re.MULTILINE)
_BARE = late_regex(r"(?:\w+\.)*\w+")


class RaisedError(NamedTuple):
    """An error as it stands in a field of the row."""

    field: str
    start: int
    line: str


def raised_errors(row: dict[str, Any]) -> list[RaisedError]:
    """Every error that ends a traceback, once each, in the order they stand. A class without a word says nothing."""
    return errors_in(row_texts(row))


def may_raise(text: str) -> bool:
    """Whether a text holds the mark of a traceback: without one it names no error."""
    return holds_any(text, _HINTS)


def errors_in(texts: Iterable[RowText]) -> list[RaisedError]:
    """The same of a row whose texts are at hand."""
    return list({error.line: error for text in texts for error in _in_text(text)}.values())


def _in_text(row_text: RowText) -> Iterator[RaisedError]:
    if not may_raise(row_text.text):
        return
    if is_gold(row_text.name.rpartition(".")[2]) or is_metadata(row_text.name):
        return
    for start, line in _errors(row_text.text):
        yield RaisedError(row_text.name, row_text.start + start, line)


def error_lines(text: str) -> list[str]:
    """The lines of a text that name an error by its class and say something of it."""
    return [line for _, line in _errors(text)]


def _errors(text: str) -> Iterator[tuple[int, str]]:
    for match in _ERROR.finditer(text):
        line = match["line"][:LONGEST].rstrip()
        if not _BARE.fullmatch(line):
            yield match.start("line"), line
