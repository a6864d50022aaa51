"""All that an analysis rests on beside its rows: the files of its runs, its settings, and the program itself."""

from __future__ import annotations

import dataclasses
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

from blade.engine.plan import RunPlan
from blade.options import Options
from blade.per_run import PerRun
from blade.version import __version__

MANNER = {"cache", "cache_dir", "engine", "workers", "ray_address", "fingerprint", "timings"}
"""Settings that say how runs are read and not what is found in them."""


def input_files(plans: Sequence[RunPlan], options: Options) -> list[str]:
    """The files that are read, those that would be if they were there, and those that the user names beside them."""
    files = sorted({str(path) for plan in plans for path in _files(plan)})
    return [*files, *(str(path) for option in ("config", "notes", "annotations") for path in _named(options, option))]


def settings_of(options: Options) -> dict[str, str]:
    """The settings that have a part in what is found."""
    return {name: str(value) for name, value in dataclasses.asdict(options).items() if name not in MANNER}


def program() -> list[object]:
    """Size and time of every file of the program, and of the folder of its libraries: another may count otherwise."""
    root = Path(__file__).parents[1]
    files: list[object] = []
    folders = [root]
    while folders:
        with os.scandir(folders.pop()) as items:
            for item in sorted(items, key=lambda item: item.name):
                if not item.is_dir():
                    state = item.stat()
                    files.append((item.path, state.st_size, state.st_mtime_ns))
                elif item.name != "__pycache__":
                    folders.append(Path(item.path))
    library = find_spec("polars")
    libraries = Path(library.origin).parents[1].stat().st_mtime_ns if library and library.origin else None
    return [__version__, sys.version, libraries, files]


def _files(plan: RunPlan) -> Iterator[Path]:
    for item in (*plan.rollouts, *plan.listed, *(item for items in plan.sidecars.values() for item in items)):
        yield item.path
        for folder in (item.path.parent, item.path.parent.parent):
            yield folder / "benchmark.toml"


def _named(options: Options, option: str) -> Iterator[str | Path]:
    values: PerRun = getattr(options, option)
    if values is not None:
        yield from values.values() if isinstance(values, Mapping) else (values,)
