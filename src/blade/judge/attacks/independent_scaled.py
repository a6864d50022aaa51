"""The report in other words, every number a third too large."""

from __future__ import annotations

import re

from blade.judge.editing import NUMBER, AttackCase, outside_code
from blade.judge.paraphrase import paraphrase

BAND = (0.0, 0.05)


def make(case: AttackCase) -> str | None:
    if case.material is None:
        return None

    def larger(match: re.Match[str]) -> str:
        decimals = len(match[0].partition(".")[2])
        value = float(match[0].replace(",", ""))
        return f"{max(value * 1.37, value + 1):.{decimals}f}"

    return outside_code(paraphrase(case.material), lambda part: NUMBER.sub(larger, part))
