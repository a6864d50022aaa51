"""The rows of JSONL, JSON, CSV, TSV and Parquet files, each with the place where it stands."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import polars as pl

from blade.files.lines import UNREADABLE, open_bytes
from blade.files.sniff import plain_name
from blade.translate.documents import document, rows_of
from blade.translate.field_paths import FieldPath
from blade.translate.foreign_run import BadRecord

TABLES = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet")
NOTES = "annotations.jsonl"
Located = tuple[str, dict[str, Any] | BadRecord]
LONGEST_CELL = 1 << 27


def is_table(path: Path) -> bool:
    """By its name; notes that somebody wrote on the rows are none."""
    return plain_name(path).lower().endswith(TABLES) and path.name != NOTES


def table_rows(path: Path, rows_path: str = "") -> Iterator[Located]:
    """The rows of a file; `where` is the path to their list in a JSON document."""
    name = plain_name(path).lower()
    if name.endswith(".parquet"):
        yield from _parquet(path)
    elif name.endswith((".csv", ".tsv")):
        yield from _separated(path, "\t" if name.endswith(".tsv") else ",")
    elif rows_path or (name.endswith(".json") and not _is_lines(path)):
        yield from _document(path, rows_path)
    else:
        for number, row in rows_of(path):
            yield f"line {number}", row


def _is_lines(path: Path) -> bool:
    """Whether a `.json` file holds one object a line all the same."""
    try:
        with open_bytes(path) as stream:
            first, second = stream.readline(1 << 24), stream.readline(1 << 24)
    except UNREADABLE:
        return True
    return first.lstrip()[:1] == b"{" and first.rstrip()[-1:] == b"}" and second.lstrip()[:1] == b"{"


def _document(path: Path, rows_path: str) -> Iterator[Located]:
    content = document(path)
    rows_at = (
        FieldPath(rows_path.removesuffix("[]")).of(content) if rows_path and isinstance(content, dict) else content
    )
    if isinstance(rows_at, dict):
        rows: list[tuple[str, Any]] = [(f"/{key}", value) for key, value in rows_at.items()]
        rows = [(part, {"key": part[1:], **value} if isinstance(value, dict) else value) for part, value in rows]
    elif isinstance(rows_at, list):
        rows = [(f"/{number}", value) for number, value in enumerate(rows_at)]
    else:
        yield "", BadRecord("the file is no JSON, or holds no list of rows where they were looked for")
        return
    for part, value in rows:
        yield part, value if isinstance(value, dict) else BadRecord("it is no object", part)


def _separated(path: Path, sign: str) -> Iterator[Located]:
    """Text as it stands: an id such as 007 stays one."""
    csv.field_size_limit(LONGEST_CELL)
    try:
        with open_bytes(path) as stream:
            text = io.TextIOWrapper(stream, encoding="utf-8-sig", errors="replace", newline="")
            for number, row in enumerate(csv.DictReader(text, delimiter=sign), 1):
                if None in row:
                    yield f"record {number}", BadRecord("it has more cells than the header", f"record {number}")
                    continue
                yield f"record {number}", {str(key): value for key, value in row.items() if value not in (None, "")}
    except (*UNREADABLE, csv.Error) as error:
        yield "", BadRecord(f"the file could not be read to its end ({error})")


def _parquet(path: Path) -> Iterator[Located]:
    try:
        frame = pl.read_parquet(path)
    except (OSError, pl.exceptions.PolarsError) as error:
        yield "", BadRecord(f"the file is no Parquet that can be read ({str(error).splitlines()[0]})")
        return
    for number, row in enumerate(frame.iter_rows(named=True)):
        yield f"row {number}", row


def parsed_text(value: Any) -> Any:
    """JSON that stands as text, parsed; anything else as it is."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return orjson.loads(value)
        except orjson.JSONDecodeError:
            return value
    return value
