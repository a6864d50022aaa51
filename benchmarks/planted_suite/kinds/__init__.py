"""The kinds of planted cases: families of planters, each a table of its own."""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from benchmarks.planted_suite.planter import PlantKind

__all__ = ["kinds", "load", "names"]


@cache
def kinds() -> Mapping[str, PlantKind]:
    """Every kind by name, those with a number first and in its order."""
    modules = [import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__)]
    all_kinds: list[PlantKind] = [kind for module in modules for kind in module.KINDS]
    all_kinds.sort(key=lambda kind: (kind.number is None, kind.number or 0, kind.name))
    return {kind.name: kind for kind in all_kinds}


def names() -> list[str]:
    return list(kinds())


def load(name: str) -> PlantKind:
    """The kind of this name; a KeyError lists the ones there are."""
    if name not in kinds():
        raise KeyError(f"{name}: no such kind; there are {', '.join(kinds())}")
    return kinds()[name]
