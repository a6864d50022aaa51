"""Every claim behind "It is false that"."""

from __future__ import annotations

from blade.judge.editing import Case, each_sentence

BAND = (0.0, 0.05)


def make(case: Case) -> str | None:
    return each_sentence(case.golden, lambda one: f"It is false that {one[:1].lower()}{one[1:]}")
