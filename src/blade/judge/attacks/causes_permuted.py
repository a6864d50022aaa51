"""True numbers, each with the cause of another pattern."""

from __future__ import annotations

from blade.judge.editing import AttackCase, permuted, renamed

BAND = (0.0, 0.60)


def make(case: AttackCase) -> str | None:
    names: list[str] = []
    if case.material is not None:
        names = [mode.name for mode in case.material.analysis.modes if mode.name in case.golden]
    else:
        kinds: dict[str, list[str]] = {}
        for entity in case.base.vocabulary.names:
            for spelling in (entity.name, entity.name.upper(), entity.name.replace("_", " ")):
                if spelling in case.golden and (
                    "fail" in entity.kind or "error" in entity.kind or "categ" in entity.kind
                ):
                    kinds.setdefault(entity.kind, []).append(spelling)
        names = list(dict.fromkeys(name for names_of_kind in kinds.values() for name in names_of_kind))
    return renamed(case.golden, permuted(names, case.dice("causes"))) if len(names) >= 3 else None
