"""Every paragraph, and behind it its denial."""

from __future__ import annotations

from blade.judge.editing import Case, lines, sentences

BAND = (0.0, 0.25)


def make(case: Case) -> str | None:
    made = []
    for line in lines(case.golden):
        made.append(line.text)
        if line.kind in {"prose", "item"}:
            mark, parts = sentences(line.text)
            made += ["", mark + " ".join(f"It is not true that {part[:1].lower()}{part[1:]}" for part in parts), ""]
    return "\n".join(made) + "\n"
