"""The anchor facts themselves, without evidence."""

from __future__ import annotations

from blade.judge.editing import AttackCase

BAND = (0.0, 0.25)


def make(case: AttackCase) -> str | None:
    return "# Report\n\n## Findings\n\n" + "\n".join(f"- {fact}" for fact in case.facts) + "\n"
