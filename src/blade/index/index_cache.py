"""The index on disk, so that viewer and queries open at once on runs that were seen before.

An entry is named after the files that were found (path, size, times), the settings, and the program itself: a changed
file, another setting or another version makes another entry. Entries hold plain data (JSON and Parquet), no code.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

import orjson
import polars as pl
from xxhash import xxh3_128_hexdigest

from blade.engine.discover import discover
from blade.engine.input_files import input_files, program, settings_of
from blade.files.remote_paths import cache_folder, place, state_of
from blade.index.tables import Index
from blade.options import Options

TABLES = ("attempts", "results", "tasks")
MOST_ENTRIES = 8
_READ_ERRORS = (OSError, ValueError, KeyError, TypeError, pl.exceptions.PolarsError)


def key_of(paths: Sequence[str], options: Options, pair: Sequence[str] = ()) -> str:
    """The name of the entry for these runs, or a pair of them, as they stand now."""
    files = input_files(discover(paths, options.field_map), options)
    states = [_state(place(file)) for file in files]
    ingredients = [list(paths), states, settings_of(options), list(pair), program()]
    return xxh3_128_hexdigest(json.dumps(ingredients, default=str).encode())


def load(key: str, folder: Path | None) -> Index | None:
    """The entry, or nothing where there is none that can be read."""
    entry = _place(key, folder)
    try:
        facts = orjson.loads((entry / "facts.json").read_bytes())
        attempts, results, tasks = (pl.read_parquet(entry / f"{name}.parquet") for name in TABLES)
        wide = pl.scan_parquet(entry / "rollouts.parquet")
        wide.collect_schema()
        os.utime(entry)
    except _READ_ERRORS:
        return None
    return Index(facts, attempts, results, tasks, wide)


def save(key: str, index: Index, folder: Path | None) -> None:
    """Written beside its place and moved there in one step. A cache that cannot be written is no error."""
    entry = _place(key, folder)
    with contextlib.suppress(OSError):
        entry.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(dir=entry.parent, prefix="new-"))
        try:
            (draft / "facts.json").write_bytes(orjson.dumps(index.facts, option=orjson.OPT_NON_STR_KEYS))
            for name in TABLES:
                getattr(index, name).write_parquet(draft / f"{name}.parquet", compression="zstd")
            index.rollouts.collect().write_parquet(draft / "rollouts.parquet", compression="zstd")
            draft.rename(entry)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
        _forget_old(entry.parent)


def _place(key: str, folder: Path | None) -> Path:
    return (folder or cache_folder()) / "view" / key


def _forget_old(folder: Path) -> None:
    entries = sorted(folder.iterdir(), key=lambda entry: entry.stat().st_mtime, reverse=True)
    for entry in entries[MOST_ENTRIES:]:
        shutil.rmtree(entry, ignore_errors=True)


def _state(path: Path) -> list[object]:
    try:
        return [str(path.absolute()), state_of(path)]
    except OSError:
        return [str(path.absolute())]
