"""All tables and headings, as a script prints them; no prose."""

from __future__ import annotations

from blade.judge.editing import AttackCase, lines

BAND = (0.0, 0.35)


def make(case: AttackCase) -> str | None:
    skeleton = [line.text for line in lines(case.golden) if line.kind in {"table", "heading", "blank"}]
    return "\n".join(skeleton) + "\n"
