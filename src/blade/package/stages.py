"""The stages of the straight line that a package needs. They stand above it, so the caller hands them down."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from blade.counting.run import Run
from blade.document import Report
from blade.frozen import frozen
from blade.model import Analysis
from blade.options import Options


@frozen
class Stages:
    """Read, count and word."""

    read: Callable[..., list[Run]]
    analyze: Callable[[Sequence[Run], Options], Analysis]
    report: Callable[[Analysis], Report]


def part(module: str, name: str) -> Callable[..., Any] | None:
    """A function of another part of BLADE, or None where this build does not have it."""
    try:
        if find_spec(module) is None:
            return None
    except ModuleNotFoundError:
        return None
    stage = getattr(import_module(module), name, None)
    return stage if callable(stage) else None
