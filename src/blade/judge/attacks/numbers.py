"""The golden report with other numbers."""

from __future__ import annotations

import re
from functools import partial

from blade.judge.attack import Attack, attack
from blade.judge.editing import NUMBER, AttackCase, altered_numbers, lines, outside_code
from blade.judge.paraphrase import paraphrase

_RATIO = re.compile(r"\b(\d+)(\s?/\s?|\s+(?:out\s+)?of\s+(?:the\s+)?)(\d{1,18})\b")
_PERCENT = re.compile(r"\b(\d+(?:\.\d+)?)(\s?%)")
_DIGITS = re.compile(r"(?<![\w-])[~+−]?\d[\d.,/%]*(?:x|s|pp)?(?![\w-])")


@attack(0.0, 0.25)
def denominators_changed(case: AttackCase) -> str | None:
    """Shares of another whole: "3 of 4" becomes "3 of 6", percentages follow."""

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


@attack(0.0, 0.05)
def independent_scaled(case: AttackCase) -> str | None:
    """The report in other words, every number a third too large."""
    if case.material is None:
        return None

    def larger(match: re.Match[str]) -> str:
        decimals = len(match[0].partition(".")[2])
        value = float(match[0].replace(",", ""))
        return f"{max(value * 1.37, value + 1):.{decimals}f}"

    return outside_code(paraphrase(case.material), lambda part: NUMBER.sub(larger, part))


def _altered(case: AttackCase, share: float) -> str | None:
    return altered_numbers(case.golden, share, case.dice("altered"))


numbers_altered_2 = Attack("numbers_altered_2", "2 % of the numbers altered", (0.0, 1.0), partial(_altered, share=0.02))
numbers_altered_5 = Attack(
    "numbers_altered_5", "5 % of the numbers altered", (0.0, 0.75), partial(_altered, share=0.05)
)
numbers_altered_10 = Attack(
    "numbers_altered_10", "10 % of the numbers altered", (0.0, 0.60), partial(_altered, share=0.10)
)
numbers_altered_20 = Attack(
    "numbers_altered_20", "20 % of the numbers altered", (0.0, 0.25), partial(_altered, share=0.20)
)
numbers_altered_50 = Attack(
    "numbers_altered_50", "50 % of the numbers altered", (0.0, 0.05), partial(_altered, share=0.50)
)
numbers_altered_all = Attack("numbers_altered_all", "All numbers altered", (0.0, 0.05), partial(_altered, share=1.1))


@attack(0.0, 0.15)
def numbers_deleted(case: AttackCase) -> str | None:
    """All numbers deleted."""
    edited = [
        _DIGITS.sub("", line.text) if line.kind in {"prose", "item", "table"} else line.text
        for line in lines(case.golden)
    ]
    return "\n".join(edited) + "\n"
