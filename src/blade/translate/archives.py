"""Members of zip files, read without trust: also those packed with Zstandard, which Python's own reader refuses."""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import IO

import zstandard

from blade.files.sniff import ZIP_MAGIC

STORED, DEFLATE, ZSTANDARD = 0, 8, 93
LARGEST = 2 << 30
"""Bytes of one member after unpacking."""
SUSPICIOUS = 64 << 20
"""From this size on, a member that unpacks to a thousand times its bytes is a bomb."""
MOST_TIMES = 1000
_HEADER = 30


class UnreadableMember(Exception):
    """A member that cannot be unpacked: the message says why."""


def members(path: Path) -> Mapping[str, zipfile.ZipInfo]:
    """The members by name, in their order; a name that stands twice is the later one. Nothing where it is no zip."""
    try:
        with zipfile.ZipFile(path) as archive:
            listed = archive.infolist()
    except (OSError, ValueError, EOFError, zipfile.BadZipFile, NotImplementedError, struct.error):
        return {}
    return {info.filename: info for info in listed}


def unpack(stream: IO[bytes], info: zipfile.ZipInfo) -> bytes:
    """The content of a member of the opened file."""
    if info.file_size > LARGEST:
        raise UnreadableMember("it is larger than 2 GiB")
    if info.file_size > SUSPICIOUS and info.file_size > MOST_TIMES * max(info.compress_size, 1):
        raise UnreadableMember("it unpacks to more than a thousand times its size")
    if info.flag_bits & 1:
        raise UnreadableMember("it is encrypted")
    packed = _packed(stream, info)
    try:
        content = _content(packed, info)
    except (zlib.error, zstandard.ZstdError, EOFError, MemoryError) as error:
        raise UnreadableMember(f"it cannot be unpacked ({error})") from None
    if len(content) != info.file_size:
        raise UnreadableMember("it has another length than the archive says")
    return content


def _packed(stream: IO[bytes], info: zipfile.ZipInfo) -> bytes:
    try:
        stream.seek(info.header_offset)
        header = stream.read(_HEADER)
        if len(header) < _HEADER or header[:4] != ZIP_MAGIC:
            raise UnreadableMember("it does not stand where the archive says")
        name, extra = struct.unpack("<HH", header[26:30])
        stream.seek(name + extra, 1)
        return stream.read(info.compress_size)
    except (OSError, ValueError, OverflowError, MemoryError) as error:
        raise UnreadableMember(f"it cannot be read ({error})") from None


def _content(packed: bytes, info: zipfile.ZipInfo) -> bytes:
    """Never more than one byte beyond the size that the archive states."""
    longest = info.file_size + 1
    if info.compress_type == STORED:
        return packed[:longest]
    if info.compress_type == DEFLATE:
        return zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, longest)
    if info.compress_type == ZSTANDARD:
        with zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True) as reader:
            return reader.read(longest)
    raise UnreadableMember(f"its compression ({info.compress_type}) is not known")
