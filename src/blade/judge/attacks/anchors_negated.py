"""The anchor facts, each denied."""

from __future__ import annotations

from blade.judge.editing import AttackCase

BAND = (0.0, 0.05)


def make(case: AttackCase) -> str | None:
    denials = [f"- We found no evidence that {fact[:1].lower()}{fact[1:]}" for fact in case.facts]
    return "# Report\n\n## Findings\n\n" + "\n".join(denials) + "\n"
