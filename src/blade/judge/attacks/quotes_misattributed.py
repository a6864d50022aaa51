"""True quotes, each said to be of another task."""

from __future__ import annotations

from blade.judge.editing import Case, lines, permuted, renamed
from blade.judge.quoting import cited

BAND = (0.0, 0.80)
FEWEST = 3


def make(case: Case) -> str | None:
    if case.material is None or len(case.ids) < 2 or len(cited(case.reading, case.base)) < FEWEST:
        return None
    names = permuted(case.ids, case.dice("attribution"))
    found = [renamed(line.text, names) if line.kind == "quote" else line.text for line in lines(case.golden)]
    return "\n".join(found) + "\n" if found != case.golden.splitlines() else None
