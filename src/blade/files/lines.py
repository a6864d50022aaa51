"""Opens plain, .gz and .zst files as numbered lines with byte offsets, and parses one line of JSON.

A line is never a reason to stop: what cannot be parsed comes back as a problem with a reason.
"""

from __future__ import annotations

import io
import json
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NamedTuple, Protocol

import orjson
import zstandard

from blade import shared_json
from blade.files.remote_paths import Digest, open_raw, place

BOM = b"\xef\xbb\xbf"
GZIP_MAGIC = b"\x1f\x8b"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
PIECE = 1 << 14
BUFFER = 1 << 20
UNREADABLE = (OSError, EOFError, zlib.error, zstandard.ZstdError)
"""What reading a damaged, half-written or forbidden file raises."""

_TOKEN_ARRAYS = re.compile(
    rb'(?<!\\)"(prompt_token_ids|generation_token_ids|generation_log_probs)"\s*:\s*\[[^\[\]"]*\]',
)
_SMALL, _LOOKS = 4096, 64


@dataclass(slots=True)
class Line:
    number: int
    offset: int
    data: bytes


class Parsed(NamedTuple):
    """`value` is None when the line holds no JSON; `problem` says why; `mended` names what had to be tolerated."""

    value: Any
    problem: str = ""
    mended: str = ""


def open_bytes(path: Path | str, digest: Digest | None = None) -> io.BufferedReader:
    """Open a file for reading bytes, decompressed by its content, not by its name.

    The digest is fed with the bytes of a compressed file as they stand on the disk; those of a plain file are for
    whoever reads them.
    """
    raw = open_raw(place(path))
    try:
        magic = raw.read(4)
        raw.seek(0)
    except OSError:
        raw.close()
        raise
    if magic[:2] == GZIP_MAGIC:
        return io.BufferedReader(_Inflated(raw, lambda: zlib.decompressobj(wbits=31), digest), buffer_size=BUFFER)
    if magic == ZSTD_MAGIC:
        unpack = zstandard.ZstdDecompressor().decompressobj
        return io.BufferedReader(_Inflated(raw, unpack, digest), buffer_size=BUFFER)
    return raw


def is_compressed(stream: io.BufferedReader) -> bool:
    """Whether places in this stream are no places in its file."""
    return isinstance(stream.raw, _Inflated)


class Inflater(Protocol):
    """What the decompressors of gzip and zstd share."""

    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /) -> bytes: ...


class _Inflated(io.RawIOBase):
    """A compressed file as its content, piece by piece.

    All that a damaged or half-written file holds is given out before the damage is raised. Several compressed parts in
    a row are one content.
    """

    def __init__(self, raw: IO[bytes], make: Callable[[], Inflater], digest: Digest | None = None) -> None:
        self._raw = raw
        self._make = make
        self._digest = digest
        self._begin()

    def _begin(self) -> None:
        self._inflater = self._make()
        self._waiting = b""
        self._place = 0
        self._inside = False

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._place

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Forward by reading on, backward by starting anew."""
        if whence == io.SEEK_END:
            raise io.UnsupportedOperation("the end of compressed content is not known")
        target = offset + (self._place if whence == io.SEEK_CUR else 0)
        if target < self._place:
            self._raw.seek(0)
            self._begin()
        while self._place < target and self.read(min(1 << 20, target - self._place)):
            pass
        return self._place

    def readinto(self, buffer: Any, /) -> int:
        while not self._waiting:
            piece = self._next_piece()
            if not piece:
                return 0
            self._waiting = self._inflater.decompress(piece)
        size = min(len(buffer), len(self._waiting))
        buffer[:size] = self._waiting[:size]
        self._waiting = self._waiting[size:]
        self._place += size
        return size

    def _next_piece(self) -> bytes:
        """More compressed bytes, none at the end. Zeros between parts are padding."""
        remainder = b""
        if self._inflater.eof:
            remainder = self._inflater.unused_data.lstrip(b"\0")
            self._inflater, self._inside = self._make(), False
        piece = remainder or self._more()
        while not self._inside and piece and not (piece := piece.lstrip(b"\0")):
            piece = self._more()
        if not piece and self._inside:
            raise EOFError("the compressed data stops before its end")
        self._inside = bool(piece)
        return piece

    def _more(self) -> bytes:
        piece = self._raw.read(PIECE)
        if self._digest is not None:
            self._digest.update(piece)
        return piece

    def close(self) -> None:
        self._raw.close()
        super().close()


@dataclass(slots=True)
class Reach:
    """How far a reading came: lines seen, blank ones too, and the place behind the last; whether that line ended."""

    lines: int = 0
    offset: int = 0
    whole: bool = True


def seek_line(stream: IO[bytes], start: int) -> int:
    """Go to the first line that begins at `start` or after it, and say where that is."""
    if start <= 0:
        return stream.seek(0)
    offset = stream.seek(start - 1)
    while part := stream.readline(BUFFER):  # the rest of a long line is not held
        offset += len(part)
        if part.endswith(b"\n"):
            break
    return offset


def iter_lines(
    stream: IO[bytes], digest: Digest | None = None, reach: Reach | None = None, end: int | None = None
) -> Iterator[Line]:
    """Every non-blank line with its 1-based number and the byte offset where it starts.

    A reach that stands at another place than 0 is where the stream stands; lines that begin at `end` are not read.
    """
    reach = reach or Reach()
    if end is not None and reach.offset >= end:
        return
    for data in stream:
        reach.lines += 1
        if digest is not None:
            digest.update(data)
        start = reach.offset
        reach.offset += len(data)
        reach.whole = data.endswith(b"\n")
        if start == 0 and data.startswith(BOM):
            data = data[3:]  # noqa: PLW2901 - the mark is not part of the line
            start += 3
        data = data.rstrip(b"\r\n")  # noqa: PLW2901 - a long line is not held twice
        if data and not data.isspace():
            yield Line(reach.lines, start, data)
        if end is not None and reach.offset >= end:
            return


def parse(data: bytes, loads: Callable[[bytes], Any] = shared_json.loads) -> Parsed:
    """Parse one line: the fast parser first, the tolerant one where it says no.

    Rows that share no request with each other are parsed sooner by `orjson.loads`.
    """
    if _may_hold_arrays(data):
        data = _without_arrays(data)
    try:
        return Parsed(loads(data))
    except orjson.JSONDecodeError:
        data = _without_arrays(data)
        mended = _mended(data)
    try:
        return Parsed(orjson.loads(data))
    except orjson.JSONDecodeError:
        pass
    try:
        text = data.removeprefix(BOM).decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("utf-8", errors="replace")
        mended = "bytes that are not UTF-8"
    try:
        return Parsed(json.loads(text), mended=mended)
    except RecursionError:
        return Parsed(None, problem="nested too deeply to be read")
    except json.JSONDecodeError as error:
        return Parsed(None, problem=_problem(data, error.msg))
    except ValueError:
        return Parsed(None, problem=_problem(data, "a number that is too long"))


def _may_hold_arrays(data: bytes) -> bool:
    """Whether arrays of tokens may be a good part of a row: some characters spread over it are looked at."""
    if len(data) < _SMALL:
        return True
    sample = data[:: len(data) // _LOOKS]
    return len(sample.translate(None, b"0123456789,. -")) < len(sample) * 2 // 3


def _without_arrays(data: bytes) -> bytes:
    """Nothing is read of the tokens: only a row that is parsed without them is smaller and sooner there."""
    return _TOKEN_ARRAYS.sub(rb'"\1":[]', data) if data.rfind(b"_token_ids") >= 0 else data


def has_duplicate_keys(data: bytes) -> bool:
    """Whether a top-level object writes one key twice (then the last one counts)."""
    seen_twice = False

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal seen_twice
        members = dict(items)
        seen_twice = len(members) != len(items)  # the outermost object is built last, so it has the last word
        return members

    try:
        json.loads(data, object_pairs_hook=pairs)
    except (ValueError, RecursionError):
        return False
    return seen_twice


def _mended(data: bytes) -> str:
    if data.startswith(BOM):
        return "a byte order mark"
    if b"NaN" in data or b"Infinity" in data:
        return "NaN or Infinity, which JSON does not have"
    if b"\\u" in data:
        return "a lone surrogate, which is no character"
    return "JSON that only a tolerant parser takes"


def _problem(data: bytes, reason: str) -> str:
    if not data.lstrip().startswith((b"{", b"[")):
        return "not JSON"
    if not data.rstrip().endswith((b"}", b"]")):
        return "cut off before its end"
    return f"not JSON ({reason})"  # without its column: rows that are broken alike are counted together
