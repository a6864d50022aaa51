"""The runs of other programs in a file or folder, translated and planned like those of NeMo Gym."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType

from blade.engine.annotations import annotations_beside
from blade.engine.classify import ClassifiedFile, classify
from blade.engine.plan import RunPlan
from blade.registry import plugins
from blade.remote_paths import is_remote, place
from blade.sniff import Head, plain_name
from blade.translate.foreign_run import ForeignRun
from blade.translate.spool import spool, spool_place

_DATA = (".json", ".jsonl", ".eval")


def folder_runs(folder: Path) -> list[RunPlan]:
    """The runs of a folder that belongs to one format as a whole; none where no format knows it."""
    if is_remote(folder):
        return []
    for name, module in plugins("formats").items():
        knows = getattr(module, "recognises_folder", None)
        if knows is not None and knows(folder):
            return _plans(name, module, module.runs([folder]))
    return []


def file_runs(files: Iterable[ClassifiedFile]) -> list[RunPlan]:
    """The runs in single files, format by format: files of one format may belong together.

    What no format knows is listed with the first run: a damaged file is not passed over without a word.
    """
    by_format: dict[str, list[Path]] = {}
    others = []
    for item in files:
        if item.role == "annotations":  # read with every run of the folder
            continue
        if item.program and item.role == "listed":
            by_format.setdefault(item.program, []).append(item.path)
        else:
            others.append(item)
    modules = plugins("formats")
    found: list[RunPlan] = []
    read: set[Path] = set()
    for name, own in by_format.items():
        found += _plans(name, modules[name], modules[name].runs(own), read)
    if found:
        found[0].listed.extend(with_damage(item) for item in others if item.path not in read)
    return found


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
    known: Counter[str] = Counter()
    plans = []
    for run in runs:
        kept_in = str(spool_place(run, name))
        known[kept_in] += 1
        if read is not None:
            read.update(run.files)
        apart = replace(run, name=f"{run.name or '@run'} {known[kept_in]}") if known[kept_in] > 1 else run
        plans.append(_plan(name, module, apart))
    return plans


def _plan(name: str, module: ModuleType, run: ForeignRun) -> RunPlan:
    kept = spool(run, name, module.VERSION)
    head = Head(kept.path, kept.path.stat().st_size, "rows")
    rows = ClassifiedFile(kept.path, name, "rollouts", head)
    named, flaws = bool(run.name), list(kept.flaws)
    plan = RunPlan(run.name, [rows], named=named, flaws=flaws, titles=run.titles, translated=kept)
    notes = annotations_beside(kept.path)
    if notes.is_file() and (seen := classify(notes)).role == "annotations":
        plan.sidecars["annotations"] = [seen]
    return plan


def original(path: Path) -> Path:
    """The file that a run is named after; a folder names its run by its whole name."""
    there = getattr(place(str(path)), "original", path)
    return there / "rollouts.jsonl" if there is not path and there.is_dir() else there
