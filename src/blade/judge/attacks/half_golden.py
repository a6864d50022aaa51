"""Control: every second section of the golden report."""

from __future__ import annotations

from blade.judge.editing import Case, section

BAND = (0.10, 0.90)


def make(case: Case) -> str | None:
    seen: list[str] = []

    def wanted(title: str) -> bool:
        seen.append(title)
        return len(seen) % 2 == 1

    return section(case.golden, wanted)
