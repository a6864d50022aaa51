"""The causes that can be planted, by the stage of a run at which they happen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from blade.simulate.cause_context import PlantedCause
from blade.simulate.causes import behaviour, infrastructure, rows, verdict

__all__ = ["cause", "names"]

_CLASSES: dict[str, Callable[..., PlantedCause]] = {
    planted.name: planted for module in (behaviour, infrastructure, verdict, rows) for planted in module.CAUSES
}


def names() -> list[str]:
    return sorted(_CLASSES)


def cause(name: str, **dose: Any) -> PlantedCause:
    """The cause of this name in this dose; a KeyError lists the ones there are."""
    if name not in _CLASSES:
        raise KeyError(f"{name}: no such cause; there are {', '.join(names())}")
    return _CLASSES[name](**dose)
