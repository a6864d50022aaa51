"""All words of the golden report in any order."""

from __future__ import annotations

import re

from blade.judge.editing import AttackCase

BAND = (0.0, 0.05)


def make(case: AttackCase) -> str | None:
    words = re.sub(r"[|#>*`]+", " ", case.golden).split()
    case.dice("words").shuffle(words)
    return (
        "# Report\n\n" + "\n\n".join(" ".join(words[place : place + 80]) for place in range(0, len(words), 80)) + "\n"
    )
