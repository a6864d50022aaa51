"""The benchmarks that can be simulated: one module each, named as the benchmark is."""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from blade.simulate.benchmark import SimulatedBenchmark

__all__ = ["load", "names"]


def names() -> list[str]:
    return sorted(module.name for module in pkgutil.iter_modules(__path__))


@cache
def load(name: str) -> SimulatedBenchmark:
    """The benchmark of this name; a KeyError lists the ones there are."""
    if name not in names():
        raise KeyError(f"{name}: no such benchmark; there are {', '.join(names())}")
    benchmark: SimulatedBenchmark = import_module(f"{__name__}.{name}").BENCHMARK
    return benchmark
