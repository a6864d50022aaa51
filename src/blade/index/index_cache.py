"""The index on disk, so that viewer and queries open at once on runs that were seen before.

An entry is named after the files that were found (path, size, times), the settings, and the program itself: a changed
file, another setting or another version makes another entry. Entries hold plain data (JSON and Parquet), no code.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import orjson
import polars as pl
from xxhash import xxh3_128_hexdigest

from blade.engine.discover import discover
from blade.engine.plan import RunPlan
from blade.index.tables import Index
from blade.options import Options
from blade.per_run import PerRun
from blade.remote_paths import cache_folder, place, state_of
from blade.version import __version__

TABLES = ("attempts", "results", "tasks")
MOST_ENTRIES = 8
MANNER = {"cache", "cache_dir", "engine", "workers", "ray_address", "fingerprint", "timings"}
"""Settings that say how runs are read and not what is found in them."""
_READ_ERRORS = (OSError, ValueError, KeyError, TypeError, pl.exceptions.PolarsError)


def key_of(paths: Sequence[str], options: Options, pair: Sequence[str] = ()) -> str:
    """The name of the entry for these runs, or a pair of them, as they stand now."""
    files = sorted({str(path) for plan in discover(paths, options.field_map) for path in _files(plan)})
    settings = {name: str(value) for name, value in dataclasses.asdict(options).items() if name not in MANNER}
    files += [str(path) for option in ("config", "notes", "annotations") for path in _named(getattr(options, option))]
    ingredients = [__version__, list(paths), [_state(place(file)) for file in files], settings, list(pair), _program()]
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


def _files(plan: RunPlan) -> Iterator[Path]:
    for item in (*plan.rollouts, *plan.listed, *(item for items in plan.sidecars.values() for item in items)):
        yield item.path
        yield item.path.parent / "benchmark.toml"


def _named(values: PerRun) -> Iterator[str | Path]:
    """Files that the user names beside the runs."""
    if values is not None:
        yield from values.values() if isinstance(values, Mapping) else (values,)


def _state(path: Path) -> list[object]:
    try:
        return [str(path.absolute()), state_of(path)]
    except OSError:
        return [str(path.absolute())]


def _program() -> list[object]:
    """Size and time of every module: another program may count otherwise."""
    root = Path(__file__).parents[1]
    sources = sorted(path for path in root.rglob("*") if path.suffix in {".py", ".toml"})
    return [[str(path.relative_to(root)), path.stat().st_size, path.stat().st_mtime_ns] for path in sources]
