"""All sentences dealt anew among the paragraphs."""

from __future__ import annotations

from blade.judge.editing import Case, lines, sentences

BAND = (0.0, 0.20)
FEWEST = 60


def make(case: Case) -> str | None:
    if len(case.reading.prose) < FEWEST:
        return None
    told = [part for line in lines(case.golden) if line.kind in {"prose", "item"} for part in sentences(line.text)[1]]
    case.dice("sentences").shuffle(told)
    waiting = iter(told)
    made = []
    for line in lines(case.golden):
        if line.kind in {"prose", "item"}:
            mark, parts = sentences(line.text)
            made.append(mark + " ".join(next(waiting) for _ in parts))
        else:
            made.append(line.text)
    return "\n".join(made) + "\n"
