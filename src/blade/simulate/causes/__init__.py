"""The causes that can be planted: one module each, named as the cause is."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from blade.simulate.cause_context import PlantedCause

__all__ = ["cause", "names"]


def names() -> list[str]:
    return sorted(module.name for module in pkgutil.iter_modules(__path__))


def cause(name: str, **dose: Any) -> PlantedCause:
    """The cause of this name in this dose; a KeyError lists the ones there are."""
    if name not in names():
        raise KeyError(f"{name}: no such cause; there are {', '.join(names())}")
    planted_cause: PlantedCause = import_module(f"{__name__}.{name}").CAUSE(**dose)
    return planted_cause
