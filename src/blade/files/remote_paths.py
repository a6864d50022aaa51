"""Where a file lies: on this machine, or behind a URL such as `s3://bucket/run.jsonl`. Both are used as paths.

URLs are read by ranges through fsspec, which is an extra: nothing of it is imported before the first URL.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol, cast

from xxhash import xxh3_128, xxh3_128_hexdigest

from blade.errors import UsageError

BUFFER = 1 << 20
BLOCK = 1 << 22
"""Bytes that are fetched at once from a remote file."""
_URL = re.compile(r"[a-z][a-z0-9+.-]+://", re.IGNORECASE)
DIGITS = {"xxh3": 32, "sha256": 64}
"""The hashes there are, with the length of what they give."""


class Digest(Protocol):
    """Anything that is fed bytes: the fingerprint of a content is made while it is read."""

    def update(self, data: bytes, /) -> None: ...
    def hexdigest(self) -> str: ...


def new_digest(name: str = "xxh3") -> Digest:
    """A fast hash, or a cryptographic one."""
    return xxh3_128() if name == "xxh3" else hashlib.new(name)


def is_url(text: str) -> bool:
    return _URL.match(text) is not None


def is_remote(path: Path) -> bool:
    """Whether a path leads to another machine."""
    return not isinstance(path, Path)


def place(location: str | Path) -> Path:
    """The path behind a text: of this machine, or a URL that is used like one."""
    if not isinstance(location, str):
        return location
    if not is_url(location):
        is_translated = "!" in location and not os.path.lexists(location) and translated_file(location).exists()
        return TranslatedPath(location) if is_translated else Path(location)
    scheme = location.partition("://")[0]
    try:
        from upath import UPath  # noqa: PLC0415 - an extra

        remote = UPath(location)
        remote.fs  # noqa: B018 - the driver is looked for here
    except ImportError as error:
        has_no_paths = isinstance(error, ModuleNotFoundError) and error.name == "upath"
        need = "remote" if has_no_paths and scheme not in _WITH_PATHS else scheme
        raise UsageError(f"{location}: reading {scheme}:// needs a driver.", _INSTALL.get(need, _ANY)) from None
    except ValueError as error:
        raise UsageError(f"{location}: no place that can be read ({error}).", _ANY) from None
    return remote  # type: ignore[return-value]  # it has the methods of a path


def real_path(path: str | Path) -> Path:
    """The path without its links. A link that leads to itself stays as it is, where `Path.resolve` ends in an error."""
    return path.resolve() if not isinstance(path, str) and is_remote(path) else Path(os.path.realpath(path))


_WITH_PATHS = {"s3", "gs", "gcs"}
"""Schemes whose extra brings all that reading them needs."""
_INSTALL = {
    "remote": "Install it with: pip install 'blade-engine[remote]'",
    "s3": "Install it with: pip install 'blade-engine[s3]'",
    "gs": "Install it with: pip install 'blade-engine[gcs]'",
    "gcs": "Install it with: pip install 'blade-engine[gcs]'",
    "hdfs": "Install it with: pip install pyarrow, and set up Hadoop's native client",
}
_ANY = "Wanted: a path, or a URL that fsspec knows and whose driver is installed (s3://, gs://, hdfs://, http://, …)."


def cache_folder() -> Path:
    """BLADE_CACHE_DIR, else the user's cache folder."""
    folder = os.environ.get("BLADE_CACHE_DIR")
    if folder:
        return Path(folder)
    base = os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(base) if base else Path.home() / ".cache") / "blade"
    except RuntimeError:  # a user without a home
        return Path(tempfile.gettempdir()) / "blade-cache"


def translated_file(place: str) -> Path:
    """Where the rows that were translated from another program's files are kept, for `PATH!format`."""
    original, _, run = place.rpartition("!")
    key = f"{os.path.abspath(original)}!{run}"  # noqa: PTH100 - the file may be gone
    return cache_folder() / "translated" / f"{xxh3_128_hexdigest(os.fsencode(key))}.jsonl"


class TranslatedPath(type(Path())):  # type: ignore[misc]
    """`PATH!format`: the rows that were translated from a file or folder, used like a file of rollouts."""

    @property
    def original(self) -> Path:
        """What was translated."""
        return Path(str(self).rpartition("!")[0])

    @property
    def parent(self) -> Path:
        return self.original.parent

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        return translated_file(str(self)).stat(follow_symlinks=follow_symlinks)

    def exists(self, *_: Any, **__: Any) -> bool:
        return translated_file(str(self)).exists()

    is_file = exists

    def open(self, *arguments: Any, **keywords: Any) -> Any:
        return translated_file(str(self)).open(*arguments, **keywords)


def open_raw(path: Path) -> io.BufferedReader:
    """The bytes as they lie there."""
    if not is_remote(path):
        return cast("io.BufferedReader", path.open("rb", buffering=BUFFER))
    raw: Any = path.open("rb", block_size=BLOCK, cache_type="readahead")  # type: ignore[call-overload]
    return io.BufferedReader(raw, buffer_size=BUFFER)


def state_of(path: Path) -> dict[str, Any]:
    """What changes when a file changes: size and times. A remote store has a word of its own for it.

    The change time cannot be set back by hand, the modification time can.
    """
    stat = path.stat()
    if is_remote(path):
        remote: Any = path
        return {"size": stat.st_size, "key": str(remote.fs.ukey(remote.path))}
    return local_state(stat)


def local_state(stat: os.stat_result) -> dict[str, Any]:
    """`state_of` a file of this machine that was asked already."""
    return {"size": stat.st_size, "mtime": stat.st_mtime_ns, "ctime": stat.st_ctime_ns, "inode": stat.st_ino}


def matches(pattern: str) -> list[Path]:
    """The remote files that a pattern names."""
    root: Any = place(pattern)
    scheme = pattern.partition("://")[0]
    return [place(f"{scheme}://{match}") for match in sorted(root.fs.glob(root.path))]


def digest_of(path: Path, start: int = 0, end: int | None = None, *, name: str = "xxh3") -> str:
    """The fingerprint of some bytes of a file."""
    digest = new_digest(name)
    with open_raw(path) as stream:
        stream.seek(start)
        for block in _blocks(stream, None if end is None else end - start):
            digest.update(block)
    return digest.hexdigest()


def _blocks(stream: io.BufferedReader, left: int | None) -> Iterator[bytes]:
    while block := stream.read(BUFFER if left is None else min(BUFFER, left)):
        yield block
        if left is not None:
            left -= len(block)
