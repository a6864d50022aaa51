"""Control: the golden report without its deep dives and examples."""

from __future__ import annotations

import re

from blade.judge.editing import Case, section

BAND = (0.35, 0.95)
_EXAMPLES = re.compile(r"example|deep dive", re.IGNORECASE)


def make(case: Case) -> str | None:
    made = section(case.golden, lambda title: not _EXAMPLES.search(title))
    return made if len(made) < len(case.golden) - 200 else None
