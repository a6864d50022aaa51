"""A look at the beginning of a file: enough to say what it is, by its content and not by its name."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from blade.lines import UNREADABLE, iter_lines, open_bytes, parse

LOOK_LINES = 20
LOOK_ROWS = 3
LARGEST_DOCUMENT = 512 << 20
COMPRESSED = (".gz", ".zst", ".zstd")
NEVER_TEXT = {".parquet", ".png", ".jpg", ".svg", ".html", ".pdf", ".zip", ".tar", ".lock", ".pyc", ".arrow"}


@dataclass(frozen=True, slots=True)
class Head:
    """What the beginning of a file shows. `rows` are its first JSON objects, `document` a whole JSON value."""

    path: Path
    size: int
    shape: str  # rows, document, text, empty, unreadable, other
    rows: tuple[dict[str, Any], ...] = ()
    document: Any = None
    text: tuple[str, ...] = ()
    problem: str = ""
    keys: frozenset[str] = field(default_factory=frozenset)


def plain_name(path: Path) -> str:
    """The file's name without the suffix of a compression."""
    name = path.name
    for suffix in COMPRESSED:
        name = name.removesuffix(suffix)
    return name


def stem(path: Path) -> str:
    """The stem that sidecars are named after: `runs/a_rollouts.jsonl.gz` → `a_rollouts`."""
    name = plain_name(path)
    return name.rsplit(".", 1)[0] if "." in name.lstrip(".") else name


def peek(path: Path) -> Head:
    """Look at a file. Nothing is raised: what cannot be read says so in `problem`."""
    try:
        size = path.stat().st_size
        if path.suffix.lower() in NEVER_TEXT:
            return Head(path, size, "other")
        with open_bytes(path) as stream:
            lines = [line.data for line in islice(iter_lines(stream), LOOK_LINES)]
    except UNREADABLE as error:
        return Head(path, 0, "unreadable", problem=_reason(error))
    if not lines:
        return Head(path, size, "empty")
    rows: list[dict[str, Any]] = []
    for data in lines:
        value = parse(data).value
        if isinstance(value, dict):
            rows.append(value)
            if len(rows) == LOOK_ROWS:
                break
        elif isinstance(value, list) and len(lines) == 1:
            return Head(path, size, "document", document=value)
    if rows:
        return Head(path, size, "rows", rows=tuple(rows), keys=frozenset().union(*rows))
    text = tuple(data[:200].decode("utf-8", errors="replace") for data in lines)
    if lines[0].lstrip()[:1] in (b"[", b"{") and size < LARGEST_DOCUMENT:
        whole = load_document(path)
        if whole is not None:
            return Head(path, size, "document", document=whole, text=text)
    return Head(path, size, "text", text=text)


def load_document(path: Path) -> Any:
    """A whole JSON file, or None."""
    try:
        with open_bytes(path) as stream:
            return parse(stream.read().removeprefix(b"\xef\xbb\xbf")).value
    except UNREADABLE:
        return None


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    return str(error) or type(error).__name__
