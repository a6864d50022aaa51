"""True reports, which must pass: the golden one, parts of it, and one in other words."""

from __future__ import annotations

import re

from blade.judge.attack import attack
from blade.judge.editing import AttackCase, lines, section
from blade.judge.paraphrase import paraphrase

_EXAMPLES = re.compile(r"example|deep dive", re.IGNORECASE)


@attack(0.90, 1.0)
def golden(case: AttackCase) -> str | None:
    """Control: the golden report itself."""
    return case.golden


@attack(0.20, 0.97)
def half_golden(case: AttackCase) -> str | None:
    """Control: every second paragraph of the golden report."""
    half: list[str] = []
    place = 0
    for line in lines(case.golden):
        if line.kind in {"prose", "item"}:
            place += 1
            if place % 2:
                continue
        half.append(line.text)
    return "\n".join(half) + "\n"


@attack(0.75, 1.0)
def independent(case: AttackCase) -> str | None:
    """Control: a true report in other words, written from the analysis."""
    return paraphrase(case.material) if case.material is not None else None


@attack(0.35, 0.95)
def without_examples(case: AttackCase) -> str | None:
    """Control: the golden report without its deep dives and examples."""
    remainder = section(case.golden, lambda title: not _EXAMPLES.search(title))
    return remainder if len(remainder) < len(case.golden) - 200 else None
