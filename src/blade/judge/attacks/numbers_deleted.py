"""All numbers deleted."""

from __future__ import annotations

import re

from blade.judge.editing import AttackCase, lines

BAND = (0.0, 0.15)
_DIGITS = re.compile(r"(?<![\w-])[~+−]?\d[\d.,/%]*(?:x|s|pp)?(?![\w-])")


def make(case: AttackCase) -> str | None:
    edited = [
        _DIGITS.sub("", line.text) if line.kind in {"prose", "item", "table"} else line.text
        for line in lines(case.golden)
    ]
    return "\n".join(edited) + "\n"
