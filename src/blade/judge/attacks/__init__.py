"""Reports that must not pass, and a few that must, by kind: each seeded, and a pure function of a package."""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module

from blade.judge.attack import Attack


@cache
def attacks() -> dict[str, Attack]:
    """Name → attack, of every module of this folder, sorted by name."""
    modules = [import_module(f"{__name__}.{info.name}") for info in pkgutil.iter_modules(__path__)]
    all_attacks = [item for module in modules for item in vars(module).values() if isinstance(item, Attack)]
    return {item.name: item for item in sorted(all_attacks, key=lambda item: item.name)}
