"""Every setting of an analysis, with its default."""

from __future__ import annotations

from pathlib import Path

from blade.frozen import frozen
from blade.per_run import PerRun


@frozen
class Options:
    """One frozen bag of settings; the command line and the library fill the same one."""

    pass_threshold: float | None = None
    reward_field: str | None = None
    config: PerRun = None  # a path, or one by the name of the run
    notes: PerRun = None  # the same
    annotations: PerRun = None  # the same
    checkpoint: PerRun = None  # a name, or one by the name of the run
    repeats: int | None = None
    limit: int | None = None
    baseline: str | None = None
    missing: str = "drop"  # drop | zero
    slices: tuple[str, ...] = ()
    cache: bool = True
    cache_dir: Path | None = None
    seed: int = 0
    benchmark: str | None = None
    match_by: str | None = None  # the field that names the tasks, where BLADE shall not find it itself
    allow_unrelated: bool = True  # False: runs of different benchmarks are an error, as the command line has it
    treatment: tuple[str, ...] = ()  # what was meant to change between the runs
    engine: str = "local"  # local | ray
    workers: int | None = None  # processes; as many as there are processors where nothing is said
    ray_address: str | None = None  # of a cluster that runs; without it one is started here
    fingerprint: str = "xxh3"  # how cached content is known again: xxh3 | sha256
    field_map: Path | None = None  # what the fields of unknown rows are
    timings: bool = False  # time every detector while rows are read
