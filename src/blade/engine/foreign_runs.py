"""The runs of other programs in a file or folder, translated and planned like those of NeMo Gym."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType

from blade.engine.annotations import annotations_beside
from blade.engine.classify import ClassifiedFile, classify
from blade.engine.plan import RunPlan
from blade.engine.watched_folders import DEPTH, WatchedFolder, folder_times
from blade.files.remote_paths import is_remote, place
from blade.files.sniff import Head, plain_name
from blade.registry import plugins
from blade.translate.foreign_run import ForeignRun
from blade.translate.spool import spool, spool_place

_DATA = (".json", ".jsonl", ".eval")


def folder_runs(folder: Path) -> list[RunPlan]:
    """The runs of a folder that belongs to one format as a whole; none where no format knows it."""
    if is_remote(folder):
        return []
    for name, module in plugins("formats").items():
        knows = getattr(module, "recognises_folder", None)
        if knows is not None and _is_known(knows, folder):
            return _folder_plans(name, module, folder)
    return []


def _folder_plans(name: str, module: ModuleType, folder: Path) -> list[RunPlan]:
    """The runs of a folder that a format knows, each with the folder as it was."""
    times, files = folder_times(folder, DEPTH), set[Path]()
    plans = _plans(name, module, module.runs([folder]), files)
    watched = WatchedFolder(folder, times, frozenset(files), name)
    return [replace(plan, watched=watched) for plan in plans]


def _is_known(knows: Callable[[Path], bool], folder: Path) -> bool:
    """Whether a format knows a folder; one that may not be looked into belongs to nobody."""
    try:
        return knows(folder)
    except OSError:
        return False


def file_runs(files: Iterable[ClassifiedFile]) -> list[RunPlan]:
    """The runs in single files, format by format: files of one format may belong together.

    What no format knows is listed with the first run: a damaged file is not passed over without a word.
    """
    by_format: dict[str, list[Path]] = {}
    other_files = []
    for item in files:
        if item.role == "annotations":  # read with every run of the folder
            continue
        if item.program and item.role == "listed":
            by_format.setdefault(item.program, []).append(item.path)
        else:
            other_files.append(item)
    modules = plugins("formats")
    plans: list[RunPlan] = []
    read: set[Path] = set()
    for name, paths in by_format.items():
        plans += _plans(name, modules[name], modules[name].runs(paths), read)
    if plans:
        plans[0].listed.extend(with_damage(item) for item in other_files if item.path not in read)
    return plans


def with_damage(item: ClassifiedFile) -> ClassifiedFile:
    """A file that was meant to be data and is none is unreadable, not of an unknown kind."""
    damaged = item.kind == "unknown" and item.head.problem and plain_name(item.path).endswith(_DATA)
    return replace(item, kind="unreadable") if damaged else item


def mapped_runs(paths: Sequence[Path], map_file: Path) -> list[RunPlan]:
    """The runs that a field map makes of files and folders."""
    module = plugins("formats")["mapped"]
    return _plans("mapped", module, module.runs(paths, map_file))


def _plans(name: str, module: ModuleType, runs: Iterable[ForeignRun], read: set[Path] | None = None) -> list[RunPlan]:
    """Each run is kept in a place of its own: of two that are called alike in one file, the second is numbered.

    `read` is told of every file that a run is made of.
    """
    name_counts: Counter[str] = Counter()
    plans = []
    for run in runs:
        kept_in = str(spool_place(run, name))
        name_counts[kept_in] += 1
        if read is not None:
            read.update(run.files)
        apart = replace(run, name=f"{run.name or '@run'} {name_counts[kept_in]}") if name_counts[kept_in] > 1 else run
        plans.append(_plan(name, module, apart))
    return plans


def _plan(name: str, module: ModuleType, run: ForeignRun) -> RunPlan:
    spooled = spool(run, name, module.VERSION)
    head = Head(spooled.path, spooled.path.stat().st_size, "rows")
    rows = ClassifiedFile(spooled.path, name, "rollouts", head)
    has_name, flaws = bool(run.name), list(spooled.flaws)
    plan = RunPlan(run.name, [rows], named=has_name, flaws=flaws, titles=run.titles, translated=spooled)
    notes = annotations_beside(spooled.path)
    if notes.is_file() and (note_file := classify(notes)).role == "annotations":
        plan.sidecars["annotations"] = [note_file]
    return plan


def original(path: Path) -> Path:
    """The file that a run is named after; a folder names its run by its whole name."""
    source = getattr(place(str(path)), "original", path)
    return source / "rollouts.jsonl" if source is not path and source.is_dir() else source
