"""The blind template with this run's true headline numbers."""

from __future__ import annotations

from blade.judge.editing import AttackCase
from blade.judge.stopwords import TEMPLATE

BAND = (0.0, 0.20)


def make(case: AttackCase) -> str | None:
    first = [statement.text for statement in case.reading.prose if statement.numbers][:3]
    return (
        "# Report\n\n## Executive Summary\n\n"
        + " ".join(first)
        + "\n\n## Failure Analysis\n\n"
        + " ".join(TEMPLATE)
        + "\n"
    )
