"""JSON as foreign programs leave it: whole documents and lines, with NaN, byte order marks and compression."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from blade.files.lines import BOM, UNREADABLE, Parsed, iter_lines, open_bytes, parse
from blade.files.sniff import load_document
from blade.translate.foreign_run import BadRecord

__all__ = ["Spot", "as_mapping", "as_rows", "document", "json_value", "lines_by", "records_of", "rows_at", "rows_of"]

SHORT = 4000
"""Bytes of a line up to which half of its reading would be the way through `iter_lines` and `parse`."""
_ARRAYS = b"_token_ids"
"""Arrays of tokens, which `parse` leaves out."""


def document(path: Path) -> Any:
    """A whole JSON file, or None where it is none. Nobody may change it: others are given the same."""
    return load_document(path)


def rows_of(path: Path) -> Iterator[tuple[int, dict[str, Any] | BadRecord]]:
    """The objects of a JSONL file with their line numbers; a line that is none says why."""
    try:
        with open_bytes(path) as stream:
            for number, data in enumerate(stream, 1):
                row = _short_row(data)
                if row is not None:
                    yield number, row
                    continue
                line = (data.removeprefix(BOM) if number == 1 else data).rstrip(b"\r\n")
                if not line or line.isspace():
                    continue
                value, problem, _ = parse(line, orjson.loads)
                if isinstance(value, dict):
                    yield number, value
                else:
                    yield number, BadRecord(problem or "no object", f"line {number}")
    except UNREADABLE as error:
        yield 0, BadRecord(f"the file could not be read to its end ({error})")


def _short_row(data: bytes) -> dict[str, Any] | None:
    """The object of a short line, as most have one; None where it is long or anything else, which `parse` tells."""
    if len(data) > SHORT or data.rfind(_ARRAYS) >= 0:
        return None
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError:
        return None
    return value if isinstance(value, dict) else None


Spot = tuple[int, int, int]
"""The number of a line, where it begins, and how long it is."""


def lines_by(path: Path, key: Callable[[dict[str, Any]], str]) -> dict[str, list[Spot]]:
    """The lines of a JSONL file by what a key says of their rows; lines that are no rows stand with the first ones."""
    groups: dict[str, list[Spot]] = {}
    strange: list[Spot] = []
    try:
        with open_bytes(path) as stream:
            for line in iter_lines(stream):
                value = parse(line.data, orjson.loads).value
                group = groups.setdefault(key(value), []) if isinstance(value, dict) else strange
                group.append((line.number, line.offset, len(line.data)))
    except UNREADABLE:
        strange.append((0, 0, 0))
    if groups and strange:
        first = next(iter(groups))
        groups[first] = sorted([*groups[first], *strange])
    return groups


def rows_at(path: Path, spots: Sequence[Spot]) -> Iterator[tuple[int, dict[str, Any] | BadRecord]]:
    """The objects of some lines of a file, as `rows_of` gives them."""
    try:
        with open_bytes(path) as stream:
            for number, offset, size in spots:
                stream.seek(offset)
                parsed = (
                    parse(stream.read(size), orjson.loads)
                    if number
                    else Parsed(None, "the file could not be read to its end")
                )
                bad = BadRecord(parsed.problem or "no object", f"line {number}")
                yield number, parsed.value if isinstance(parsed.value, dict) else bad
    except UNREADABLE as error:
        yield 0, BadRecord(f"the file could not be read to its end ({error})")


def as_mapping(value: Any) -> Mapping[str, Any]:
    """An object, or an empty one where something else stands."""
    return value if isinstance(value, dict) else {}


def as_rows(value: Any) -> list[Mapping[str, Any]]:
    """The objects of a list; none where it is no list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def records_of(value: Any, pointer: str = "") -> Iterator[tuple[str, Mapping[str, Any] | BadRecord]]:
    """Every entry of a list with its place; an entry that is no object says so, and so does what is no list."""
    if not isinstance(value, list):
        yield pointer, BadRecord("no list of records", pointer)
        return
    for number, entry in enumerate(value):
        place = f"{pointer}/{number}"
        yield place, entry if isinstance(entry, dict) else BadRecord("no object", place)


_JSON_BEGINS = frozenset('{["-0123456789tfnNI\ufeff')
"""How JSON may begin, and what a tolerant parser takes for it; most texts do not."""


def json_value(text: Any) -> Any:
    """JSON that stands in a text; what is no text or no JSON as it is."""
    if not isinstance(text, str) or text.lstrip()[:1] not in _JSON_BEGINS:
        return text
    if "_token_ids" not in text:
        try:
            return orjson.loads(text)
        except orjson.JSONDecodeError:
            pass
    parsed = parse(text.encode("utf-8", errors="replace"))
    return text if parsed.problem else parsed.value
