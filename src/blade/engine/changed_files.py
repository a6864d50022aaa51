"""Files that changed after they were read: what is quoted later is of another state than what was counted."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from typing import Any

import polars as pl
from xxhash import xxh3_64_intdigest

from blade.engine.runs import RawRun
from blade.engine.watched_folders import WatchedFolder, added_files
from blade.errors import BladeError
from blade.files.lines import UNREADABLE, iter_lines, open_bytes, parse
from blade.files.remote_paths import digest_of, is_remote, place, state_of
from blade.model import Flaw
from blade.translate.rollout_row import ORIGIN
from blade.wording import count, short_name


def changed_files(raw: RawRun) -> Iterator[Flaw]:
    """A flaw for each local file of a run that is not what it was, and for files that came into its folder.

    A touched file with the same content is as it was.
    """
    fingerprints = {str(file.path): file.fingerprint for file in raw.files}
    fingerprints |= raw.translated.fingerprints if raw.translated is not None else {}
    for name, state in raw.states.items():
        path = place(name)
        if is_remote(path):
            continue
        try:
            if state_of(path) == state:
                continue
            statement, rows = _change(raw, name, state, fingerprints.get(name))
        except UNREADABLE as error:
            reason = getattr(error, "strerror", None) or error
            statement, rows = f"the file cannot be opened any more ({reason}); what is quoted from it is missing", 0
        if statement:
            yield Flaw("file-changed", statement, name, rows=rows)
    if raw.watched is not None:
        yield from _added(raw.watched)


def _added(watched: WatchedFolder) -> Iterator[Flaw]:
    try:
        files = added_files(watched)
    except (BladeError, *UNREADABLE) as error:
        reason = error.message if isinstance(error, BladeError) else getattr(error, "strerror", None) or error
        words = f"the folder changed after it was read, and cannot be read any more ({reason})"
        yield Flaw("file-changed", words, str(watched.path))
        return
    if files:
        first = short_name(os.path.relpath(files[0], watched.path))
        others = f" and {count(len(files) - 1, 'more file')}" if len(files) > 1 else ""
        were, they = ("was", "it is") if len(files) == 1 else ("were", "they are")
        statement = f"{first}{others} {were} added to the folder after it was read: {they} not in this report"
        yield Flaw("file-changed", statement, str(watched.path))


def _change(raw: RawRun, name: str, state: dict[str, Any], fingerprint: str | None) -> tuple[str, int]:
    """What became of a file whose size or times are others, and the rows that no longer stand in it."""
    if name not in raw.sources:
        if fingerprint is not None and digest_of(place(name)) == fingerprint:
            return "", 0
        return _stale_source(_translated_rows(raw, name))
    rows = _rows_of(raw, raw.sources.index(name))
    lost = sum(not stands for stands in _standing(name, rows))
    if lost:
        share = f"{lost} of its {count(rows.height, 'row')} no longer {'stands' if lost == 1 else 'stand'} there"
        return f"the file changed after it was read: {share}; they are counted as they were, and not quoted", lost
    if state_of(place(name))["size"] > state["size"]:
        return "the file grew after it was read: what was added is not in this report", 0
    return "", 0


def _stale_source(rows: int) -> tuple[str, int]:
    """What is said of a changed file without rows of its own, and the rows that were made of it."""
    earlier = "the report tells the earlier state"
    if rows == 1:
        earlier = "the row made of it is counted and quoted as it was"
    elif rows:
        earlier = f"the {rows} rows made of it are counted and quoted as they were"
    return f"the file changed after it was read; {earlier}", rows


def _translated_rows(raw: RawRun, name: str) -> int:
    """How many rows were made of a file of another program; none where the rows do not say so without a doubt."""
    if raw.translated is None or name not in raw.translated.fingerprints:
        return 0
    origins: Counter[str] = Counter()
    with open_bytes(raw.translated.path) as stream:
        for line in iter_lines(stream):
            origin = parse(line.data).value
            origins[str(origin[ORIGIN]["file"]) if isinstance(origin, dict) else ""] += 1
    ends = [origin for origin in origins if origin and f"/{name}".endswith(f"/{origin}")]
    others = [other for other in raw.translated.fingerprints if other != name]
    own = [end for end in ends if not any(f"/{other}".endswith(f"/{end}") for other in others)]
    return sum(origins[end] for end in own)


def _rows_of(raw: RawRun, number: int) -> pl.DataFrame:
    columns = ("offset", "length", "row_hash")
    frames = (raw.rollouts, raw.failures, raw.inputs)
    parts = [frame.filter(pl.col("file") == number).select(columns) for frame in frames if "file" in frame.columns]
    return pl.concat(parts).sort("offset")


def _standing(name: str, rows: pl.DataFrame) -> Iterator[bool]:
    """Whether each row still stands where it was read."""
    with open_bytes(name) as stream:
        for offset, length, digest in rows.rows():
            try:
                stream.seek(offset)
                yield xxh3_64_intdigest(stream.read(length)) == digest
            except UNREADABLE:  # a compressed file that ends before
                yield False
