"""Every claim behind "It is false that"."""

from __future__ import annotations

from blade.judge.editing import AttackCase, each_sentence

BAND = (0.0, 0.05)


def make(case: AttackCase) -> str | None:
    return each_sentence(case.golden, lambda sentence: f"It is false that {sentence[:1].lower()}{sentence[1:]}")
