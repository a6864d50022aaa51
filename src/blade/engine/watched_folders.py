"""Folders that runs were found in: what comes into them later is in no report, and must be said."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from blade.engine.classify import ClassifiedFile, classify
from blade.files.remote_paths import is_remote
from blade.frozen import frozen
from blade.registry import plugins

DEPTH = 4
"""Folders within each other whose times are kept: runs of no format lie deeper."""
WITH_ROWS = {"rollouts", "failures", "inputs"}


@frozen
class WatchedFolder:
    """A folder as it was when its runs were looked for."""

    path: Path
    times: Mapping[str, int]
    """When a name last came into each folder or left it."""
    files: frozenset[Path]
    """The files of runs in it."""
    program: str = ""
    """The format that knows the folder as a whole; else its files are runs by themselves."""


def folder_times(folder: Path, depth: int = 0) -> dict[str, int]:
    """The modification time of a folder, which changes with its names, and of those below it.

    Taken before the folder is looked into: what comes in meanwhile is then noticed. Links are not followed, and remote
    folders are not looked at a second time.
    """
    if is_remote(folder):
        return {}
    try:
        times = {str(folder): folder.stat().st_mtime_ns}
        with os.scandir(folder) as entries:
            inner = [entry.path for entry in entries if depth and entry.is_dir(follow_symlinks=False)]
    except OSError:
        return {}
    for path in inner:
        times |= folder_times(Path(path), depth - 1)
    return times


def files_with_rows(files: Iterable[ClassifiedFile]) -> frozenset[Path]:
    """Those that a run is read from, by what they hold."""
    return frozenset(item.path for item in files if item.role in WITH_ROWS or item.program)


def added_files(watched: WatchedFolder) -> list[Path]:
    """The files that would be read now and were not there; nothing is opened where no folder has changed."""
    if folder_times(watched.path, DEPTH if watched.program else 0) == watched.times:
        return []
    if watched.program:
        runs = plugins("formats")[watched.program].runs([watched.path])
        now = frozenset(file for run in runs for file in run.files)
    else:
        names = (path for path in watched.path.iterdir() if path.is_file() and not path.name.startswith("."))
        now = files_with_rows(map(classify, (path for path in names if path not in watched.files)))
    return sorted(now - watched.files)
