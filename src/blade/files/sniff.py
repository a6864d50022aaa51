"""A look at the beginning of a file: enough to say what it is, by its content and not by its name."""

from __future__ import annotations

import codecs
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from blade.files.lines import UNREADABLE, Line, iter_lines, open_bytes, parse
from blade.files.remote_paths import is_remote, open_raw
from blade.frozen import frozen

LOOK_LINES = 1000
LOOK_ROWS = 20
LOOK_BYTES = 4 << 20
SHOWN_LINES = 20
MOST_ZEROS = 16
LARGEST_DOCUMENT = 512 << 20
MOST_KEPT = 32 << 20
"""Bytes of documents that are kept parsed; the latest is kept whatever its size."""
MOST_HEADS = 4
ZIP_MAGIC = b"PK\x03\x04"
COMPRESSED = (".gz", ".zst", ".zstd")
NEVER_TEXT = {".parquet", ".png", ".jpg", ".svg", ".html", ".pdf", ".zip", ".tar", ".lock", ".pyc", ".arrow"}


@frozen
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
    magic: bytes = b""
    """The first four bytes of a file that is no text."""


def first_entry(document: Any) -> dict[str, Any]:
    """The first object of a JSON array, or nothing."""
    if isinstance(document, list) and document and isinstance(document[0], dict):
        return document[0]
    return {}


def document_of(head: Head) -> Any:
    """The JSON document that a file is, also where it was written on a single line; None where it is none."""
    return head.rows[0] if head.document is None and len(head.rows) == 1 else head.document


def mostly(head: Head, test: Callable[[dict[str, Any]], bool]) -> bool:
    """Whether at least half of the first rows pass a test: a damaged one does not make a file another program's."""
    return head.shape == "rows" and 2 * sum(map(test, head.rows)) >= len(head.rows)


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
    documents = _KEPT.get()
    if documents is None or is_remote(path):
        return _head(path)
    try:
        state = path.stat()
    except UNREADABLE:
        return _head(path)
    return documents.head((str(path), state.st_size, state.st_mtime_ns), path)


def _head(path: Path) -> Head:
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            return Head(path, 0, "unreadable", problem="not a regular file")
        magic = _magic(path)
        if encoding := _encoding_of(path):
            return Head(path, status.st_size, "unreadable", problem=not_utf8(encoding))
        if path.suffix.lower() in NEVER_TEXT or magic == ZIP_MAGIC or _is_binary(path):
            return Head(path, status.st_size, "other", magic=magic)
        size = status.st_size
        if size < LARGEST_DOCUMENT and _first_line(path) in (b"[", b"{", b"[{"):
            document = load_document(path)
            if document is not None:
                return Head(path, size, "document", document=document)
        look = _look(path)
    except UNREADABLE as error:
        return Head(path, 0, "unreadable", problem=_reason(error))
    if look.rows:
        return Head(path, size, "rows", rows=tuple(look.rows), keys=frozenset().union(*look.rows))
    if not look.lines:
        return Head(path, size, "empty")
    text = tuple(look.text)
    if look.first[:1] in (b"[", b"{") and size < LARGEST_DOCUMENT:
        document = load_document(path)
        if document is not None:
            return Head(path, size, "document", document=document, text=text)
    return Head(path, size, "text", text=text, problem=look.problem)


def _first_line(path: Path) -> bytes:
    """The first line that is not blank; of a long one the beginning."""
    with open_bytes(path) as stream:
        return next((line.data[:200].strip() for line in iter_lines(stream)), b"")


@dataclass(slots=True)
class _Look:
    """What the first lines gave: their objects, and how they begin."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    lines: int = 0
    first: bytes = b""
    problem: str = ""


def _look(path: Path) -> _Look:
    """Line by line until enough is known; a file that breaks off is judged by what came before."""
    look = _Look()
    bytes_read = 0
    with open_bytes(path) as stream:
        for line in _until_broken(iter_lines(stream), look):
            look.lines += 1
            bytes_read += len(line.data)
            look.first = look.first or line.data[:200].strip()
            if len(look.text) < SHOWN_LINES:
                look.text.append(line.data[:200].decode("utf-8", errors="replace"))
            parsed = parse(line.data)
            look.problem = look.problem or parsed.problem
            if isinstance(parsed.value, dict):
                look.rows.append(parsed.value)
            enough = len(look.rows) >= LOOK_ROWS or (look.rows and bytes_read > LOOK_BYTES)
            if enough or look.lines >= LOOK_LINES:
                break
    return look


def _until_broken(lines: Iterator[Line], look: _Look) -> Iterator[Line]:
    """The lines of a file up to where it cannot be read; broken before its first line, it is raised."""
    try:
        yield from lines
    except UNREADABLE:
        if not look.lines:
            raise


def _magic(path: Path) -> bytes:
    with open_raw(path) as stream:
        return stream.read(4)


def _is_binary(path: Path) -> bool:
    """Many zero bytes near the beginning: no text, and perhaps no line end for gigabytes."""
    with open_bytes(path) as stream:
        return stream.read1(1024).count(b"\0") >= MOST_ZEROS


def _encoding_of(path: Path) -> str:
    if path.suffix.lower() in NEVER_TEXT:
        return ""
    with open_bytes(path) as stream:
        return wide_encoding(stream.read1(1024))


def wide_encoding(data: bytes) -> str:
    """UTF-16 or UTF-32 where a text begins in it: with a byte order mark, or as JSON with zeros between its letters."""
    marks = [name for mark, name in _MARKS.items() if data.startswith(mark)]
    zeros = [name for letters, name in _ZEROS.items() if letters == bytes(map(bool, data[:4])) and data.strip(b"\0")]
    for name in marks or zeros:
        try:
            text = codecs.getincrementaldecoder(name)().decode(data)
        except UnicodeDecodeError:
            continue
        if marks or text[:1] in _BEGINS_JSON:
            return name.upper().replace("-LE", "LE").replace("-BE", "BE")
    return ""


_MARKS = {b"\xff\xfe\0\0": "utf-32", b"\0\0\xfe\xff": "utf-32", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
_ZEROS = {
    b"\1\0\1\0": "utf-16-le",
    b"\0\1\0\1": "utf-16-be",
    b"\1\0\0\0": "utf-32-le",
    b"\0\0\0\1": "utf-32-be",
}
"""Where the first two letters have bytes that are not zero."""
_BEGINS_JSON = ("{", "[", '"')


def not_utf8(encoding: str) -> str:
    """What is wrong with a text in another encoding, and the way out."""
    return f"text in {encoding}, wanted: UTF-8, as `iconv -f {encoding} -t UTF-8 FILE` writes it"


def load_document(path: Path) -> Any:
    """A whole JSON file, or None. Nobody may change it: where documents are kept, others are given the same."""
    documents = _KEPT.get()
    try:
        if documents is None or is_remote(path):
            return _parsed(path)[0]
        state = path.stat()
        key = (str(path), state.st_size, state.st_mtime_ns)
        return documents.value(key, path)
    except UNREADABLE:
        return None


def _parsed(path: Path) -> tuple[Any, int]:
    """A document and how many bytes it has."""
    with open_bytes(path) as stream:
        content = stream.read()
    return parse(content.removeprefix(b"\xef\xbb\xbf")).value, len(content)


_State = tuple[str, int, int]


class _Documents:
    """Parsed documents by their path and state: the latest ones, up to `MOST_KEPT` bytes, and the last heads."""

    def __init__(self) -> None:
        self._values: dict[_State, tuple[Any, int]] = {}
        self._heads: dict[_State, Head] = {}
        self._bytes = 0

    def head(self, key: _State, path: Path) -> Head:
        """What a file begins with: formats that know folders look at the same files one after the other."""
        if key in self._heads:
            return self._heads[key]
        head = _head(path)
        if head.shape == "rows":  # a document may be large, and is kept by itself
            self._heads[key] = head
            if len(self._heads) > MOST_HEADS:
                self._heads.pop(next(iter(self._heads)))
        return head

    def value(self, key: _State, path: Path) -> Any:
        if key not in self._values:
            self._values[key] = _parsed(path)
            self._bytes += self._values[key][1]
            while len(self._values) > 1 and self._bytes > MOST_KEPT:
                self._bytes -= self._values.pop(next(iter(self._values)))[1]
        return self._values[key][0]


_KEPT: ContextVar[_Documents | None] = ContextVar("documents", default=None)


@contextmanager
def documents_kept() -> Iterator[None]:
    """Within it a document is parsed once, though it is recognised, taken apart and translated one after the other."""
    token = _KEPT.set(_Documents())
    try:
        yield
    finally:
        _KEPT.reset(token)


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    return str(error) or type(error).__name__
