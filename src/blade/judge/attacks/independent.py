"""Control: a true report in other words, written from the analysis."""

from __future__ import annotations

from blade.judge.editing import AttackCase
from blade.judge.paraphrase import paraphrase

BAND = (0.75, 1.0)


def make(case: AttackCase) -> str | None:
    return paraphrase(case.material) if case.material is not None else None
