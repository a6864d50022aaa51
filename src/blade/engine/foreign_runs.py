"""The runs of other programs in a file or folder, translated and planned like those of NeMo Gym."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from types import ModuleType

from blade.engine.classify import ClassifiedFile, format_of
from blade.engine.plan import RunPlan
from blade.peek import Head, peek
from blade.places import is_remote, place
from blade.registry import plugins
from blade.translate.foreign_run import ForeignRun
from blade.translate.spool import spool


def folder_runs(folder: Path) -> list[RunPlan]:
    """The runs of a folder that belongs to one format as a whole; none where no format knows it."""
    if is_remote(folder):
        return []
    for name, module in plugins("formats").items():
        knows = getattr(module, "recognises_folder", None)
        if knows is not None and knows(folder):
            return _plans(name, module, module.runs([folder]))
    return []


def file_runs(paths: Iterable[Path]) -> list[RunPlan]:
    """The runs in single files, format by format: files of one format may belong together."""
    by_format: dict[str, list[Path]] = {}
    for path in paths:
        name = "" if is_remote(path) else format_of(peek(path))
        if name:
            by_format.setdefault(name, []).append(path)
    modules = plugins("formats")
    return [plan for name, mine in by_format.items() for plan in _plans(name, modules[name], modules[name].runs(mine))]


def mapped_runs(paths: Sequence[Path], map_file: Path) -> list[RunPlan]:
    """The runs that a field map makes of files and folders."""
    module = plugins("formats")["mapped"]
    return _plans("mapped", module, module.runs(paths, map_file))


def _plans(name: str, module: ModuleType, runs: Iterable[ForeignRun]) -> list[RunPlan]:
    return [_plan(name, module, run) for run in runs]


def _plan(name: str, module: ModuleType, run: ForeignRun) -> RunPlan:
    kept = spool(run, name, module.VERSION)
    head = Head(kept.path, kept.path.stat().st_size, "rows")
    rows = ClassifiedFile(kept.path, name, "rollouts", head)
    named, flaws = bool(run.name), list(kept.flaws)
    return RunPlan(run.name, [rows], named=named, flaws=flaws, titles=run.titles, translated=kept)


def original(path: Path) -> Path:
    """The file that a run is named after; a folder names its run by its whole name."""
    there = getattr(place(str(path)), "original", path)
    return there / "rollouts.jsonl" if there is not path and there.is_dir() else there
