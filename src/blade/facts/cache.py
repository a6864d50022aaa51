"""Facts on disk, keyed by content, so that a second analysis does not parse the rollouts again.

An entry is one Parquet file named after the fingerprint of the content, the extractor's version and the options that
shape the facts. A small note per path remembers size and times, so that an unchanged file is not even hashed. Entries
are written beside their place and moved there in one step: two processes may write the same entry at once. An entry
that cannot be read is thrown away and made again.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
import polars as pl
from xxhash import xxh3_64_hexdigest

from blade.facts.columns import EXTRACTOR_VERSION, SCHEMA

NOTE_KEY = "blade"
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
    return (Path(base) if base else Path.home() / ".cache") / "blade"


class FactsCache:
    """Look up and store the facts of one file. A cache that cannot be written is no error: it is only slower."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or default_folder()

    def known_fingerprint(self, path: Path) -> str | None:
        """The content's fingerprint, if the file is as it was when it was last read."""
        try:
            note = orjson.loads(self._note_path(path).read_bytes())
            stat = path.stat()
        except (OSError, ValueError):
            return None
        same = (
            note.get("size") == stat.st_size
            and note.get("mtime") == stat.st_mtime_ns
            and note.get("inode") == stat.st_ino
        )
        return str(note["fingerprint"]) if same and "fingerprint" in note else None

    def remember(self, path: Path, fingerprint: str, stat: os.stat_result) -> None:
        """Note the file's size and times; a file written a moment ago could change without them changing."""
        if time.time_ns() - stat.st_mtime_ns < RACY_NS:
            return
        note = {"size": stat.st_size, "mtime": stat.st_mtime_ns, "inode": stat.st_ino, "fingerprint": fingerprint}
        with contextlib.suppress(OSError):
            self._write(self._note_path(path), orjson.dumps(note))

    def may_hold(self, size: int) -> bool:
        """Whether some entry came from a file of this size: only then is it worth hashing the content first."""
        return next(self.folder.glob(f"facts/{size:x}-*.parquet"), None) is not None

    def load(self, fingerprint: str, shape: str, size: int) -> Entry | None:
        """The facts of that content, or None. A damaged or foreign entry is removed."""
        path = self._entry_path(fingerprint, shape, size)
        if not path.exists():
            return None
        try:
            note = orjson.loads(pl.read_parquet_metadata(path)[NOTE_KEY])
            facts = pl.read_parquet(path)
            if facts.schema != pl.Schema(SCHEMA) or note.get("rows") != facts.height:
                raise ValueError
        except _READ_ERRORS:
            with contextlib.suppress(OSError):
                path.unlink()
            return None
        return Entry(facts, note)

    def store(self, fingerprint: str, shape: str, size: int, facts: pl.DataFrame, note: dict[str, Any]) -> None:
        path = self._entry_path(fingerprint, shape, size)
        text = orjson.dumps({**note, "rows": facts.height}).decode()
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            beside = path.with_name(f".{path.name}.{os.getpid()}.{time.monotonic_ns()}")
            try:
                facts.write_parquet(beside, compression="zstd", metadata={NOTE_KEY: text})
                beside.replace(path)
            finally:
                beside.unlink(missing_ok=True)

    def info(self) -> tuple[int, int]:
        """How many entries, how many bytes."""
        files = [file for file in self.folder.glob("facts/*.parquet") if file.is_file()]
        return len(files), sum(file.stat().st_size for file in files)

    def clear(self) -> int:
        """Remove every entry; says how many there were."""
        count, _ = self.info()
        for name in ("facts", "seen"):
            shutil.rmtree(self.folder / name, ignore_errors=True)
        return count

    def _entry_path(self, fingerprint: str, shape: str, size: int) -> Path:
        key = xxh3_64_hexdigest(shape.encode())
        return self.folder / "facts" / f"{size:x}-{fingerprint}-{EXTRACTOR_VERSION}-{key}.parquet"

    def _note_path(self, path: Path) -> Path:
        return self.folder / "seen" / f"{xxh3_64_hexdigest(os.fsencode(path.resolve()))}.json"

    @staticmethod
    def _write(path: Path, data: bytes) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_name(f".{path.name}.{os.getpid()}.{time.monotonic_ns()}")
        beside.write_bytes(data)
        beside.replace(path)
