"""Control: the golden report without its deep dives and examples."""

from __future__ import annotations

import re

from blade.judge.editing import AttackCase, section

BAND = (0.35, 0.95)
_EXAMPLES = re.compile(r"example|deep dive", re.IGNORECASE)


def make(case: AttackCase) -> str | None:
    remainder = section(case.golden, lambda title: not _EXAMPLES.search(title))
    return remainder if len(remainder) < len(case.golden) - 200 else None
