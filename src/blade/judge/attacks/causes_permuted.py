"""True numbers, each with the cause of another pattern."""

from __future__ import annotations

from blade.judge.editing import Case, permuted, renamed

BAND = (0.0, 0.60)


def make(case: Case) -> str | None:
    names: list[str] = []
    if case.material is not None:
        names = [mode.name for mode in case.material.analysis.modes if mode.name in case.golden]
    else:
        kinds: dict[str, list[str]] = {}
        for thing in case.base.vocabulary.names:
            for way in (thing.name, thing.name.upper(), thing.name.replace("_", " ")):
                if way in case.golden and ("fail" in thing.kind or "error" in thing.kind or "categ" in thing.kind):
                    kinds.setdefault(thing.kind, []).append(way)
        names = list(dict.fromkeys(name for found in kinds.values() for name in found))
    return renamed(case.golden, permuted(names, case.dice("causes"))) if len(names) >= 3 else None
