"""The files of a package: which there are, which can be read, and how they are read and written back."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

import zstandard

from blade.errors import NotFound
from blade.files.lines import GZIP_MAGIC, UNREADABLE, ZSTD_MAGIC, open_bytes
from blade.frozen import frozen

LEFT_OUT = {".git", "__pycache__", ".venv", "node_modules", ".mypy_cache", ".ruff_cache", ".pytest_cache"}
LARGEST_DOCUMENT = 1 << 26
LONGEST_BLOCK = 400
_MEDIA = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"RIFF", b"%PDF", b"\0\0\1\0", b"OggS", b"ID3", b"wOF", b"\0\1\0\0")


@frozen
class FileEntry:
    """One file: where it is, and its place in the package, with / on every system."""

    path: Path
    root: Path
    place: str


@frozen
class ReadUnit:
    """A piece that is looked at as one: a line, a JSON document, a block of several lines."""

    line: int
    data: bytes


def gather(paths: Iterable[str | Path]) -> list[FileEntry]:
    """Every file below the paths, in a fixed order; a file that is given stands for itself."""
    entries: dict[Path, FileEntry] = {}
    for argument in paths:
        path = Path(argument)
        if _is_shut(path):
            raise NotFound(f"{path}: this folder cannot be listed.", "Check its permissions.")
        if path.is_dir():
            for inner in sorted(path.rglob("*")):
                place = inner.relative_to(path)
                if not LEFT_OUT & set(place.parts) and (inner.is_file() or inner.is_symlink() or _is_shut(inner)):
                    entries.setdefault(inner, FileEntry(inner, path, place.as_posix()))
        elif path.exists():
            entries.setdefault(path, FileEntry(path, path.parent, path.name))
        else:
            raise NotFound(f"{path}: there is nothing at this path.", "Give a package, a folder or a file.")
    return list(entries.values())


def _is_shut(path: Path) -> bool:
    """Whether a path is a folder that may not be listed: what lies in it cannot be said to be clean."""
    return path.is_dir() and not os.access(
        path, os.R_OK | os.X_OK, effective_ids=os.access in os.supports_effective_ids
    )


def closed(entry: FileEntry) -> str:
    """Why a file cannot be looked into, else nothing."""
    if entry.path.is_symlink() and not Path(os.path.realpath(entry.path)).is_relative_to(os.path.realpath(entry.root)):
        return "a link that leads out of the package"
    if entry.path.is_dir():
        return "a link to a folder" if entry.path.is_symlink() else "a folder that cannot be listed"
    try:
        with open_bytes(entry.path) as stream:
            head = stream.read(8192)
            for piece in iter(lambda: stream.read(1 << 20), b""):
                if b"\0" in piece:
                    return "not text"
    except UNREADABLE as error:
        return f"cannot be read ({error})"
    return "not text" if b"\0" in head else ""


def is_media(path: Path) -> bool:
    """Pictures, sounds, fonts and PDF: listed, but no rule of ours could read them."""
    try:
        with path.open("rb") as stream:
            return stream.read(8).startswith(_MEDIA)
    except OSError:
        return False


def units(entry: FileEntry) -> Iterator[ReadUnit]:
    """The content in pieces; put together again they are the content, byte for byte."""
    name = entry.path.name.removesuffix(".gz").removesuffix(".zst")
    with open_bytes(entry.path) as stream:
        if name.endswith(".json"):
            data = stream.read(LARGEST_DOCUMENT)
            remainder = stream.readline()
            yield ReadUnit(1, data + remainder)
            yield from _lines(stream, 1 + data.count(b"\n") + remainder.count(b"\n"))
        else:
            yield from _lines(stream, 1)


def _lines(stream: IO[bytes], first: int) -> Iterator[ReadUnit]:
    block: list[bytes] = []
    start = first
    for number, data in enumerate(stream, start=first):
        if block:
            block.append(data)
        elif b"PRIVATE KEY" in data and b"-----BEGIN" in data and b"-----END" not in data:
            block, start = [data], number
        else:
            yield ReadUnit(number, data)
            continue
        if b"-----END" in data or len(block) >= LONGEST_BLOCK:
            yield ReadUnit(start, b"".join(block))
            block = []
    if block:
        yield ReadUnit(start, b"".join(block))


@contextmanager
def written_like(source: Path, target: Path) -> Iterator[IO[bytes]]:
    """A file to write to that is compressed as its source is; the same content gives the same bytes."""
    with source.open("rb") as stream:
        magic = stream.read(4)
    with target.open("wb") as raw:
        if magic[:2] == GZIP_MAGIC:
            with gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as packed:
                yield cast("IO[bytes]", packed)
        elif magic == ZSTD_MAGIC:
            with zstandard.ZstdCompressor().stream_writer(raw, closefd=False) as squeezed:
                yield cast("IO[bytes]", squeezed)
        else:
            yield raw
