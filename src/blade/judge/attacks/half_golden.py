"""Control: every second paragraph of the golden report."""

from __future__ import annotations

from blade.judge.editing import AttackCase, lines

BAND = (0.20, 0.97)


def make(case: AttackCase) -> str | None:
    half: list[str] = []
    place = 0
    for line in lines(case.golden):
        if line.kind in {"prose", "item"}:
            place += 1
            if place % 2:
                continue
        half.append(line.text)
    return "\n".join(half) + "\n"
