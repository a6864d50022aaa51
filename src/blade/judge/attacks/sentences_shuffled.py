"""All sentences dealt anew among the paragraphs."""

from __future__ import annotations

from blade.judge.editing import AttackCase, lines, sentences

BAND = (0.0, 0.20)
FEWEST = 60


def make(case: AttackCase) -> str | None:
    if len(case.reading.prose) < FEWEST:
        return None
    shuffled = [
        part for line in lines(case.golden) if line.kind in {"prose", "item"} for part in sentences(line.text)[1]
    ]
    case.dice("sentences").shuffle(shuffled)
    waiting = iter(shuffled)
    edited = []
    for line in lines(case.golden):
        if line.kind in {"prose", "item"}:
            mark, parts = sentences(line.text)
            edited.append(mark + " ".join(next(waiting) for _ in parts))
        else:
            edited.append(line.text)
    return "\n".join(edited) + "\n"
