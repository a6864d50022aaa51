"""Good English about other things."""

from __future__ import annotations

from blade.judge.editing import AttackCase
from blade.judge.stopwords import PARAGRAPHS

BAND = (0.0, 0.05)


def make(case: AttackCase) -> str | None:
    del case
    return "# Notes\n\n" + "\n\n".join(f"## Part {place}\n\n{text}" for place, text in enumerate(PARAGRAPHS, 1)) + "\n"
