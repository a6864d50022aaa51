"""Ids of the right form that no run has."""

from __future__ import annotations

import re

from blade.judge.editing import Case, renamed

BAND = (0.0, 0.10)


def make(case: Case) -> str | None:
    dice = case.dice("fabricated")
    known = set(case.base.names.tasks)
    names: dict[str, str] = {}
    for name in case.ids:
        made = name
        for _ in range(20):
            made = re.sub(
                r"\d+(?!.*\d)", lambda match: str(dice.randrange(10 ** len(match[0]))).zfill(len(match[0])), name
            )
            if made not in known:
                break
        names[name] = made
    return renamed(case.golden, names) if len(names) >= 3 else None
