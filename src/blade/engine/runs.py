"""Reads the files of one planned run: rollouts, failures, inputs, and what stands beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl
from xxhash import xxh3_128_hexdigest

from blade import timings
from blade.engine.annotations import load_annotations
from blade.engine.classify import ClassifiedFile
from blade.engine.files import Engine, FileFacts, FileRequest, Progress, ReadOptions, read_files
from blade.engine.learning import with_learned_fields
from blade.engine.plan import RunPlan
from blade.engine.rows import NO_INPUTS, asked_of
from blade.engine.settings import Benchmark, find_benchmark, load_benchmark, load_config, load_notes
from blade.engine.watched_folders import WatchedFolder
from blade.errors import BladeError
from blade.extract.declared import Declared
from blade.extract.learned_fields import NO_FIELDS, LearnedFields
from blade.facts.cache import FactsCache
from blade.facts.table import empty
from blade.files.remote_paths import is_remote, state_of
from blade.findings import Annotation
from blade.model import File, Flaw
from blade.options import Options
from blade.per_run import value_of
from blade.translate.spool import Spooled

PASSES = (("inputs",), ("rollouts", "failures"))
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
    sidecars: dict[str, list[ClassifiedFile]] = field(default_factory=dict)
    benchmark: Benchmark = field(default_factory=Benchmark)
    config: Mapping[str, Any] = field(default_factory=dict)
    config_file: str | None = None
    notes: str | None = None
    notes_file: str | None = None
    checkpoint: str | None = None
    translated: Spooled | None = None
    annotations: tuple[Annotation, ...] = ()
    learned: LearnedFields = NO_FIELDS
    states: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Size and times of the files when they were read, by path."""
    watched: WatchedFolder | None = None
    """The folder that the run was found in, as it was then."""


def read_plans(
    plans: Sequence[RunPlan], options: Options, engine: Engine, progress: Progress | None = None
) -> list[RawRun]:
    """One pass over the files of some runs: first what was asked, then what came of it."""
    raws = [_begin(plan) for plan in plans]
    declared = with_learned_fields([declared_of(raw.benchmark, options) for raw in raws], plans)
    for raw, declaration in zip(raws, declared, strict=True):
        raw.learned = declaration.learned
    manner = ReadOptions(FactsCache(options.cache_dir) if options.cache else None, options.fingerprint, options.timings)
    expected = [NO_INPUTS for _ in plans]
    for roles in PASSES:
        knowns = list(zip(declared, expected, strict=True))
        requests = [
            (number, role, item) for number, plan in enumerate(plans) for role in roles for item in plan.of(role)
        ]
        files = [FileRequest(item.path, role, number) for number, role, item in requests]
        files_read = read_files(files, knowns, engine, manner, progress)
        for number, raw in enumerate(raws):
            run_files = [
                (role, item, read) for (of, role, item), read in zip(requests, files_read, strict=True) if of == number
            ]
            _take(raw, run_files)
        expected = [asked_of(raw.inputs) for raw in raws]
    return [_finish(raw, plan, options) for raw, plan in zip(raws, plans, strict=True)]


def _begin(plan: RunPlan) -> RawRun:
    benchmark, flaws = load_benchmark(find_benchmark([item.path.parent for item in plan.rollouts]))
    raw = RawRun(plan.name, empty(), empty(), empty(), [], [], [*flaws, *plan.flaws], benchmark=benchmark)
    raw.translated, raw.watched = plan.translated, plan.watched
    if plan.translated is not None:
        raw.states.update({name: dict(state) for name, state in plan.translated.states.items()})
    return raw


def _note_state(raw: RawRun, path: Path) -> None:
    """Keep size and times of a local file, to notice at the end that it changed."""
    if not is_remote(path) and path.is_file():
        raw.states[str(path)] = state_of(path)


def _take(raw: RawRun, read: Sequence[tuple[str, ClassifiedFile, FileFacts]]) -> None:
    """Put what some files gave into their run."""
    frames: dict[str, list[pl.DataFrame]] = {}
    for role, item, file_facts in read:
        place = pl.lit(len(raw.sources), pl.Int32).alias("file")
        frames.setdefault(role, []).append(file_facts.facts.with_columns(place))
        raw.sources.append(str(item.path))
        raw.files.append(_file(item, file_facts))
        if file_facts.state:
            raw.states[str(item.path)] = file_facts.state
        raw.flaws.extend(file_facts.flaws)
        timings.record(file_facts.facts.height, file_facts.seconds)
    for role, parts in frames.items():
        setattr(raw, role, pl.concat(parts))


def _finish(raw: RawRun, plan: RunPlan, options: Options) -> RawRun:
    """What stands beside the rows."""
    inputs = len(plan.of("inputs"))  # read first, and listed last
    raw.files = raw.files[inputs:] + raw.files[:inputs]
    sidecars = {role: items for role, items in plan.sidecars.items() if role not in sum(PASSES, ())}
    _owner_words(raw, sidecars, options)
    raw.sidecars = sidecars
    for item in (item for items in sidecars.values() for item in items):
        _note_state(raw, item.path)
        raw.files.append(_listed(item))
    raw.listed = [_listed(item) for item in plan.listed]
    raw.flaws.extend(
        Flaw("file-unreadable", f"the file could not be read ({file.note})", str(file.path))
        for file in raw.listed
        if file.kind == "unreadable"
    )
    return raw


def declared_of(benchmark: Benchmark, options: Options) -> Declared:
    settings = benchmark.values
    return Declared(
        options.reward_field or settings.get("reward_field"),
        settings.get("reference_actions"),
        frozenset(settings.get("mutating_tools") or ()),
    )


def _file(item: ClassifiedFile, read: FileFacts) -> File:
    return File(item.path, item.kind, read.bytes, read.facts.height, _fingerprint(read.facts))


def _fingerprint(facts: pl.DataFrame) -> str:
    """The same rows have the same fingerprint in whatever order they stand."""
    return xxh3_128_hexdigest(facts["row_hash"].sort().to_numpy().tobytes())


def _listed(item: ClassifiedFile) -> File:
    """A file that holds no rows. Its fingerprint is of its bytes; what is very large and not read has none."""
    note = item.head.problem if item.kind == "unreadable" else ""
    fingerprint = None if note or item.head.size > LARGEST_LISTED else _content(item.path)
    return File(item.path, item.kind, item.head.size, fingerprint=fingerprint, note=note)


def _content(path: Path) -> str | None:
    try:
        return xxh3_128_hexdigest(path.read_bytes())
    except OSError:
        return None


def _owner_words(raw: RawRun, sidecars: dict[str, list[ClassifiedFile]], options: Options) -> None:
    """Config and notes: what the user names comes first, else what stands beside the run."""
    settings_files = [item.path for item in sidecars.get("settings", []) if item.path.name != "benchmark.toml"]
    config_path = value_of(options.config, raw.name)
    config = Path(config_path) if config_path else (settings_files[0] if settings_files else None)
    if config is not None:
        try:
            raw.config, raw.config_file = load_config(config), str(config)
        except BladeError as error:
            if config_path is not None:
                raise
            raw.flaws.append(Flaw("config-unreadable", f"{error.message} It was left aside.", str(config)))
    elif raw.translated is not None and raw.translated.settings:
        raw.config, raw.config_file = raw.translated.settings, str(raw.translated.path.original)
    notes_path = value_of(options.notes, raw.name)
    notes = Path(notes_path) if notes_path else next((item.path for item in sidecars.get("notes", [])), None)
    if notes is not None:
        raw.notes, raw.notes_file = load_notes(notes), str(notes)
    readings = value_of(options.annotations, raw.name)
    files = [Path(readings)] if readings else [item.path for item in sidecars.get("annotations", [])]
    raw.annotations, flaws = load_annotations(files)
    raw.flaws.extend(flaws)
    checkpoint = value_of(options.checkpoint, raw.name)
    raw.checkpoint = str(checkpoint) if checkpoint is not None else None
