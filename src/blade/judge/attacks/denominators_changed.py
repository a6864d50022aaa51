"""Shares of another whole: "3 of 4" becomes "3 of 6", percentages follow."""

from __future__ import annotations

import re

from blade.judge.editing import AttackCase, lines, outside_code

BAND = (0.0, 0.25)
_RATIO = re.compile(r"\b(\d+)(\s?/\s?|\s+(?:out\s+)?of\s+(?:the\s+)?)(\d+)\b")
_PERCENT = re.compile(r"\b(\d+(?:\.\d+)?)(\s?%)")


def make(case: AttackCase) -> str | None:
    def share(match: re.Match[str]) -> str:
        decimals = len(match[1].partition(".")[2])
        return f"{float(match[1]) * 0.73:.{decimals}f}{match[2]}"

    def changed(part: str) -> str:
        scaled = _RATIO.sub(lambda match: f"{match[1]}{match[2]}{round(int(match[3]) * 1.5) + 1}", part)
        return _PERCENT.sub(share, scaled)

    edited = [
        outside_code(line.text, changed) if line.kind in {"prose", "item", "table"} else line.text
        for line in lines(case.golden)
    ]
    return "\n".join(edited) + "\n"
