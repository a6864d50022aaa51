"""Every paragraph, and behind it its denial."""

from __future__ import annotations

from blade.judge.editing import AttackCase, lines, sentences

BAND = (0.0, 0.25)


def make(case: AttackCase) -> str | None:
    edited = []
    for line in lines(case.golden):
        edited.append(line.text)
        if line.kind in {"prose", "item"}:
            mark, parts = sentences(line.text)
            edited += ["", mark + " ".join(f"It is not true that {part[:1].lower()}{part[1:]}" for part in parts), ""]
    return "\n".join(edited) + "\n"
