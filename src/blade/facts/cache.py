"""Facts on disk, keyed by content, so that a second analysis does not parse the rollouts again.

An entry is a checksum and a Parquet table, named after the fingerprint of the content, the extractor's version and the
options that shape the facts. A small note per path remembers size and times, so that an unchanged file is not even
hashed. Entries are written beside their place and moved there in one step: two processes may write the same entry at
once. An entry that cannot be read is thrown away and made again.
"""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
import polars as pl
from xxhash import xxh3_64_hexdigest, xxh3_128_digest

from blade.facts.columns import EXTRACTOR_VERSION, SCHEMA

NOTE_KEY = "blade"
DIGEST = 16
RACY_NS = 2_000_000_000
_READ_ERRORS = (OSError, ValueError, KeyError, pl.exceptions.PolarsError)


@dataclass(frozen=True, slots=True)
class Entry:
    facts: pl.DataFrame
    note: dict[str, Any]


def default_folder() -> Path:
    """BLADE_CACHE_DIR, else the user's cache folder."""
    given = os.environ.get("BLADE_CACHE_DIR")
    if given:
        return Path(given)
    base = os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(base) if base else Path.home() / ".cache") / "blade"
    except RuntimeError:  # a user without a home
        return Path(tempfile.gettempdir()) / "blade-cache"


class FactsCache:
    """Look up and store the facts of one file. A cache that cannot be written is no error: it is only slower."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or default_folder()

    def known_fingerprint(self, path: Path) -> str | None:
        """The content's fingerprint, if the file is as it was when it was last read."""
        try:
            note = orjson.loads(self._note_path(path).read_bytes())
            fingerprint = note.pop("fingerprint")
            same = note == _times(path.stat())
        except (OSError, ValueError, KeyError, AttributeError, TypeError):
            return None
        return str(fingerprint) if same else None

    def remember(self, path: Path, fingerprint: str, stat: os.stat_result) -> None:
        """Note the file's size and times; a file written a moment ago could change without them changing."""
        if time.time_ns() - max(stat.st_mtime_ns, stat.st_ctime_ns) < RACY_NS:
            return
        with contextlib.suppress(OSError):
            self._write(self._note_path(path), orjson.dumps({**_times(stat), "fingerprint": fingerprint}))

    def may_hold(self, size: int) -> bool:
        """Whether some entry came from a file of this size: only then is it worth hashing the content first."""
        try:
            return next(self.folder.glob(f"facts/{size:x}-*.facts"), None) is not None
        except OSError:
            return False

    def load(self, fingerprint: str, shape: str, size: int) -> Entry | None:
        """The facts of that content, or None. A damaged or foreign entry is removed."""
        path = self._entry_path(fingerprint, shape, size)
        try:
            whole = path.read_bytes()
        except OSError:
            return None
        try:
            return _opened(whole)
        except _READ_ERRORS:
            with contextlib.suppress(OSError):
                path.unlink()
            return None

    def store(self, fingerprint: str, shape: str, size: int, facts: pl.DataFrame, note: dict[str, Any]) -> None:
        path = self._entry_path(fingerprint, shape, size)
        buffer = io.BytesIO()
        facts.write_parquet(buffer, compression="zstd", metadata={NOTE_KEY: orjson.dumps(note).decode()})
        whole = buffer.getvalue()
        with contextlib.suppress(OSError):
            self._write(path, xxh3_128_digest(whole), whole)

    def info(self) -> tuple[int, int]:
        """How many entries, how many bytes."""
        files = [file for file in self.folder.glob("facts/*.facts") if file.is_file()]
        return len(files), sum(file.stat().st_size for file in files)

    def clear(self) -> int:
        """Remove every entry; says how many there were."""
        count, _ = self.info()
        for name in ("facts", "seen"):
            shutil.rmtree(self.folder / name, ignore_errors=True)
        return count

    def _entry_path(self, fingerprint: str, shape: str, size: int) -> Path:
        key = xxh3_64_hexdigest(shape.encode())
        return self.folder / "facts" / f"{size:x}-{fingerprint}-{EXTRACTOR_VERSION}-{key}.facts"

    def _note_path(self, path: Path) -> Path:
        return self.folder / "seen" / f"{xxh3_64_hexdigest(os.fsencode(path.resolve()))}.json"

    @staticmethod
    def _write(path: Path, *pieces: bytes) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_name(f".{path.name}.{os.getpid()}.{time.monotonic_ns()}")
        try:
            with beside.open("wb") as out:
                out.writelines(pieces)
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)


def _opened(whole: bytes) -> Entry:
    """The facts and the note of an entry; a ValueError where one byte is not as it was written."""
    digest, table = whole[:DIGEST], whole[DIGEST:]
    if xxh3_128_digest(table) != digest:
        raise ValueError("the entry is damaged")
    note = orjson.loads(pl.read_parquet_metadata(io.BytesIO(table))[NOTE_KEY])
    facts = pl.read_parquet(io.BytesIO(table))
    if facts.schema != pl.Schema(SCHEMA):
        raise ValueError("the entry has other columns")
    return Entry(facts, note)


def _times(stat: os.stat_result) -> dict[str, int]:
    """What changes when a file changes. The change time cannot be set back by hand, the modification time can."""
    return {"size": stat.st_size, "mtime": stat.st_mtime_ns, "ctime": stat.st_ctime_ns, "inode": stat.st_ino}
