"""Every word of the golden report once, in the order of the alphabet."""

from __future__ import annotations

from blade.judge.editing import AttackCase
from blade.judge.words import words_of

BAND = (0.0, 0.05)


def make(case: AttackCase) -> str | None:
    words = sorted(set(words_of(case.golden)))
    return (
        "# Report\n\n" + "\n\n".join(" ".join(words[place : place + 60]) for place in range(0, len(words), 60)) + "\n"
    )
