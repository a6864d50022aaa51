"""The report of another model under the name of this one."""

from __future__ import annotations

from blade.judge.editing import AttackCase, renamed

BAND = (0.0, 0.35)


def make(case: AttackCase) -> str | None:
    if case.material is None or not case.material.others:
        return None
    name, text = case.material.others[0]
    return renamed(text, {name: case.material.subject})
