"""Files that changed after they were read: what is quoted later is of another state than what was counted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl
from xxhash import xxh3_64_intdigest, xxh3_128_hexdigest

from blade.engine.runs import RawRun
from blade.lines import UNREADABLE, open_bytes
from blade.model import Flaw
from blade.remote_paths import is_remote, place, state_of
from blade.wording import count


def changed_files(raw: RawRun) -> Iterator[Flaw]:
    """A flaw for each local file of a run that is not what it was; a touched file with the same content is."""
    fingerprints = {str(file.path): file.fingerprint for file in raw.files}
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


def _change(raw: RawRun, name: str, state: dict[str, Any], fingerprint: str | None) -> tuple[str, int]:
    """What became of a file whose size or times are others, and the rows that no longer stand in it."""
    if name not in raw.sources:
        same = fingerprint is not None and xxh3_128_hexdigest(place(name).read_bytes()) == fingerprint
        return "" if same else "the file changed after it was read; the report tells the earlier state", 0
    rows = _rows_of(raw, raw.sources.index(name))
    lost = sum(not stands for stands in _standing(name, rows))
    if lost:
        share = f"{lost} of its {count(rows.height, 'row')} no longer {'stands' if lost == 1 else 'stand'} there"
        return f"the file changed after it was read: {share}; they are counted as they were, and not quoted", lost
    if state_of(place(name))["size"] > state["size"]:
        return "the file grew after it was read: what was added is not in this report", 0
    return "", 0


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
