"""Reads the files of one planned run: rollouts, failures, inputs, and what stands beside them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl
from xxhash import xxh3_128_hexdigest

from blade.engine.classify import Seen
from blade.engine.local import NO_INPUTS, FileFacts, Progress, asked_of, read_file
from blade.engine.plan import RunPlan
from blade.engine.settings import Benchmark, find_benchmark, load_benchmark, load_config, load_notes
from blade.errors import BladeError
from blade.extract.declared import Declared
from blade.facts.cache import FactsCache
from blade.facts.table import empty
from blade.model import File, Flaw
from blade.options import Options

READ = ("inputs", "rollouts", "failures")
"""Inputs come first: they may say what was expected where the rollouts do not."""
LARGEST_LISTED = 64 * 1024 * 1024
"""Bytes of a file without rows whose content still gets a fingerprint."""


@dataclass(slots=True)
class RawRun:
    """A run as it stands in its files: facts per role, nothing decided yet."""

    name: str
    rollouts: pl.DataFrame
    failures: pl.DataFrame
    inputs: pl.DataFrame
    files: list[File]
    sources: list[str]
    flaws: list[Flaw]
    listed: list[File] = field(default_factory=list)
    sidecars: dict[str, list[Seen]] = field(default_factory=dict)
    benchmark: Benchmark = field(default_factory=Benchmark)
    config: Mapping[str, Any] = field(default_factory=dict)
    config_file: str | None = None
    notes: str | None = None
    notes_file: str | None = None


def read_plan(plan: RunPlan, options: Options, progress: Progress | None = None) -> RawRun:
    """One pass over each file of the run."""
    benchmark, flaws = load_benchmark(find_benchmark([item.path.parent for item in plan.rollouts]))
    declared = _declared(benchmark, options)
    asked = NO_INPUTS
    cache = FactsCache(options.cache_dir) if options.cache else None
    raw = RawRun(plan.name, empty(), empty(), empty(), [], [], [*flaws, *plan.flaws], benchmark=benchmark)
    sidecars = dict(plan.sidecars)
    files: dict[str, list[File]] = {role: [] for role in ("rollouts", "failures", "inputs")}
    for role in READ:
        seen = plan.rollouts if role == "rollouts" else sidecars.pop(role, [])
        frames = []
        for item in seen:
            read = read_file(item.path, role, declared=declared, asked=asked, cache=cache, progress=progress)
            frames.append(read.facts.with_columns(pl.lit(len(raw.sources), pl.Int32).alias("file")))
            raw.sources.append(str(item.path))
            files[role].append(_file(item, read))
            raw.flaws.extend(read.flaws)
        if frames:
            setattr(raw, role, pl.concat(frames))
        if role == "inputs":
            asked = asked_of(raw.inputs)
    raw.files.extend(file for found in files.values() for file in found)
    _owner_words(raw, sidecars, options)
    raw.sidecars = sidecars
    for items in sidecars.values():
        raw.files.extend(_listed(item) for item in items)
    raw.listed = [_listed(item) for item in plan.listed]
    raw.flaws.extend(
        Flaw("file-unreadable", f"the file could not be read ({file.note})", str(file.path))
        for file in raw.listed
        if file.kind == "unreadable"
    )
    return raw


def _declared(benchmark: Benchmark, options: Options) -> Declared:
    told = benchmark.values
    return Declared(
        options.reward_field or told.get("reward_field"),
        told.get("reference_actions"),
        frozenset(told.get("mutating_tools") or ()),
    )


def _file(item: Seen, read: FileFacts) -> File:
    return File(item.path, item.kind, read.bytes, read.facts.height, _fingerprint(read.facts))


def _fingerprint(facts: pl.DataFrame) -> str:
    """The same rows have the same fingerprint in whatever order they stand."""
    return xxh3_128_hexdigest(facts["row_hash"].sort().to_numpy().tobytes())


def _listed(item: Seen) -> File:
    """A file that holds no rows. Its fingerprint is of its bytes; what is very large and not read has none."""
    note = item.head.problem if item.kind == "unreadable" else ""
    known = None if note or item.head.size > LARGEST_LISTED else _content(item.path)
    return File(item.path, item.kind, item.head.size, fingerprint=known, note=note)


def _content(path: Path) -> str | None:
    try:
        return xxh3_128_hexdigest(path.read_bytes())
    except OSError:
        return None


def _owner_words(raw: RawRun, sidecars: dict[str, list[Seen]], options: Options) -> None:
    """Config and notes: what the user names comes first, else what stands beside the run."""
    beside = [item.path for item in sidecars.get("settings", []) if item.path.name != "benchmark.toml"]
    config = options.config or (beside[0] if beside else None)
    if config is not None:
        try:
            raw.config, raw.config_file = load_config(config), str(config)
        except BladeError as error:
            if options.config is not None:
                raise
            raw.flaws.append(Flaw("config-unreadable", f"{error.message} It was left aside.", str(config)))
    notes = options.notes or next((item.path for item in sidecars.get("notes", [])), None)
    if notes is not None:
        raw.notes, raw.notes_file = load_notes(notes), str(notes)
