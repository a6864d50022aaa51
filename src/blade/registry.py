"""A folder is a registry: every module of a plug-in folder is a plug-in, and its file name is its name everywhere.

Third parties add theirs through entry points of the group `blade.<folder>`.
"""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoints, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

FOLDERS = ("formats", "readers", "detectors", "health", "questions", "charts", "sections", "renderers")


def summaries(folder: str) -> dict[str, str]:
    """Name → what the first line of its docstring says, sorted by name, without loading what is ours."""
    place = Path(__file__).parent / folder
    names = [info.name for info in pkgutil.iter_modules([str(place)]) if not info.name.startswith("_")]
    summary_of = {name: _first_line(place, name) for name in names}
    for entry in _foreign(folder):
        summary_of[entry.name] = summary(entry.load())
    return dict(sorted(summary_of.items()))


def _first_line(folder: Path, name: str) -> str:
    file = folder / f"{name}.py"
    with (file if file.exists() else folder / name / "__init__.py").open(encoding="utf-8") as source:
        return source.readline().strip().strip('"').strip()


@cache
def plugins(folder: str) -> dict[str, ModuleType]:
    """Name → module for every plug-in of a folder, sorted by name."""
    package = import_module(f"blade.{folder}")
    modules = {
        info.name: import_module(f"blade.{folder}.{info.name}")
        for info in pkgutil.iter_modules(package.__path__)
        if not info.name.startswith("_")
    }
    for entry in _foreign(folder):
        modules[entry.name] = entry.load()
    return dict(sorted(modules.items()))


def _foreign(folder: str) -> EntryPoints:
    """What third parties add to a folder."""
    entries: EntryPoints = _installed().select(group=f"blade.{folder}")
    return entries


@cache
def _installed() -> Any:
    """The entry points of all that is installed, looked for once."""
    return entry_points()


def summary(plugin: ModuleType) -> str:
    """The first line of a plug-in's docstring: what lists and docs print."""
    return (plugin.__doc__ or "").strip().split("\n", 1)[0]
