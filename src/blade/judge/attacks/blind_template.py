"""What anybody may write who has not seen the runs."""

from __future__ import annotations

from blade.judge.editing import AttackCase
from blade.judge.stopwords import TEMPLATE

BAND = (0.0, 0.10)
_TITLES = ("Executive Summary", "Failure Analysis", "Recommendations")


def make(case: AttackCase) -> str | None:
    del case
    size = len(TEMPLATE) // len(_TITLES) + 1
    parts = [
        f"## {title}\n\n" + " ".join(TEMPLATE[place * size : (place + 1) * size]) for place, title in enumerate(_TITLES)
    ]
    return "# Report\n\n" + "\n\n".join(parts) + "\n"
