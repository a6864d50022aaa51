"""Facts on disk, keyed by content, so that a second analysis does not parse the rollouts again.

An entry is one piece of a file: named after the fingerprint of its bytes, the extractor's version and the options that
shape the facts. A note per path remembers size, times and the pieces, so that an unchanged file is not even hashed and
a file that grew is read from where it ended. Entries are written beside their place and moved there in one step: two
processes may write the same entry at once. An entry that cannot be read is thrown away and made again.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from pathlib import Path
from typing import Any

import orjson
from xxhash import xxh3_64_hexdigest

from blade.facts.chunk import UNUSABLE, FactsChunk, pack, unpack
from blade.facts.columns import EXTRACTOR_VERSION
from blade.files.remote_paths import cache_folder, real_path
from blade.frozen import frozen

RACY_NS = 2_000_000_000
KEPT = ("facts", "translated", "view", "reports")
"""What is kept between commands: facts, rows of other programs, indexes of the viewer, reports."""


@frozen
class Span:
    """The place and the fingerprint of a piece."""

    start: int
    end: int
    digest: str
    whole: bool = True


@frozen
class Note:
    """What is known of a path: its pieces, and whether the file is certainly as it was when they were read."""

    spans: tuple[Span, ...]
    unchanged: bool


class FactsCache:
    """Look up and store pieces of facts. A cache that cannot be written is no error: it is only slower."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or cache_folder()
        self._sizes: set[str] | None = None

    def note(self, path: Path, state: dict[str, Any]) -> Note | None:
        """What the last reading of this path left; `state` is what the file looks like now."""
        try:
            stored = orjson.loads(self._note_path(path).read_bytes())
            spans = tuple(
                Span(int(start), int(end), str(digest), bool(is_whole))
                for start, end, digest, is_whole in stored["spans"]
            )
            return Note(spans, unchanged=stored["state"] == state and not stored["racy"])
        except (OSError, ValueError, KeyError, AttributeError, TypeError):
            return None

    def remember(self, path: Path, state: dict[str, Any], spans: list[Span]) -> None:
        """Note the file's state and pieces; a file written a moment ago could change without its times changing."""
        last_change = max(state.get("mtime", 0), state.get("ctime", 0))
        entry = {
            "state": state,
            "racy": time.time_ns() - last_change < RACY_NS,
            "spans": [[span.start, span.end, span.digest, span.whole] for span in spans],
        }
        with contextlib.suppress(OSError):
            self._write(self._note_path(path), orjson.dumps(entry))

    def may_hold(self, size: int) -> bool:
        """Whether some entry came from so many bytes: only then is it worth hashing the content first."""
        if self._sizes is None:
            try:
                self._sizes = {file.name.partition("-")[0] for file in (self.folder / "facts").iterdir()}
            except OSError:
                self._sizes = set()
        return f"{size:x}" in self._sizes

    def load(self, span: Span, shape: str) -> FactsChunk | None:
        """The facts of that content, or None. A damaged or foreign entry is removed."""
        path = self._entry_path(span, shape)
        try:
            packed = path.read_bytes()
        except OSError:
            return None
        try:
            return unpack(packed)
        except UNUSABLE:
            with contextlib.suppress(OSError):
                path.unlink()
            return None

    def store(self, piece: FactsChunk, shape: str, packed: bytes | None = None) -> None:
        path = self._entry_path(Span(piece.start, piece.end, piece.digest), shape)
        with contextlib.suppress(OSError):
            self._write(path, packed or pack(piece))
            if self._sizes is not None:
                self._sizes.add(path.name.partition("-")[0])

    def info(self) -> tuple[int, int]:
        """How many entries, how many bytes; a report or an index is one entry of several files."""
        entries = [entry for name in KEPT for entry in self.folder.glob(f"{name}/[!.]*")]
        files = [file for entry in entries for file in (entry.rglob("*") if entry.is_dir() else (entry,))]
        return len(entries), sum(file.stat().st_size for file in files if file.is_file())

    def clear(self) -> int:
        """Remove every entry; says how many there were."""
        count, _ = self.info()
        for name in (*KEPT, "seen"):
            shutil.rmtree(self.folder / name, ignore_errors=True)
        return count

    def _entry_path(self, span: Span, shape: str) -> Path:
        key = xxh3_64_hexdigest(shape.encode())
        return self.folder / "facts" / f"{span.end - span.start:x}-{span.digest}-{EXTRACTOR_VERSION}-{key}.facts"

    def _note_path(self, path: Path) -> Path:
        return self.folder / "seen" / f"{xxh3_64_hexdigest(os.fsencode(str(real_path(path))))}.json"

    @staticmethod
    def _write(path: Path, content: bytes) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".{path.name}.{os.getpid()}.{time.monotonic_ns()}")
        try:
            temporary.write_bytes(content)
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
