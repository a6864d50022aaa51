"""The golden report denied, or its sentences dealt anew."""

from __future__ import annotations

from blade.judge.attack import attack
from blade.judge.editing import AttackCase, each_sentence, lines, negated, sentences
from blade.judge.paraphrase import paraphrase

FEWEST_SENTENCES = 60


@attack(0.0, 0.05)
def denied(case: AttackCase) -> str | None:
    """Every claim behind "It is false that"."""
    return each_sentence(case.golden, lambda sentence: f"It is false that {sentence[:1].lower()}{sentence[1:]}")


@attack(0.0, 0.25)
def hedged(case: AttackCase) -> str | None:
    """Every paragraph, and behind it its denial."""
    edited = []
    for line in lines(case.golden):
        edited.append(line.text)
        if line.kind in {"prose", "item"}:
            mark, parts = sentences(line.text)
            edited += ["", mark + " ".join(f"It is not true that {part[:1].lower()}{part[1:]}" for part in parts), ""]
    return "\n".join(edited) + "\n"


@attack(0.0, 0.10)
def independent_negated(case: AttackCase) -> str | None:
    """The report in other words, every verb that can be negated negated."""
    return each_sentence(paraphrase(case.material), negated) if case.material is not None else None


@attack(0.0, 0.20)
def sentences_shuffled(case: AttackCase) -> str | None:
    """All sentences dealt anew among the paragraphs."""
    if len(case.reading.prose) < FEWEST_SENTENCES:
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


@attack(0.0, 0.10)
def verbs_negated(case: AttackCase) -> str | None:
    """Every verb that can be negated is: "is not", "does not"."""
    return each_sentence(case.golden, negated)
