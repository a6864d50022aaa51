"""A reasoning that settles on one answer and a final message that gives another.

Only short answers are held against each other: letters, numbers, single words; and only the last statement of each.

False alarms: reasoning that states a part of the answer, or the answer of a sub-question, last.
"""

from __future__ import annotations

from blade.extract.answer_candidates import LAST, AnswerCandidate, explicit
from blade.extract.attempt import Attempt
from blade.extract.options import letter_of
from blade.extract.same_answer import normal, same
from blade.extract.text import THINK_CLOSE
from blade.findings import CLEAN, NOT_APPLICABLE, Cite, Sighting, fired
from blade.late_regex import late_regex
from blade.model import Step, StepKind

ID = "B26"
FAMILY = "behaviour"
TITLE = "final answer that contradicts the reasoning"
KIND = "behaviour"
EXPLAINS = 40
SUPPORTS = {"BI": 1.6}
RELIABILITY = 0.8
READS = ("task", "model")

END = 800
_SHORT = late_regex(r"[a-z]|-?\d+(?:\.\d+)?|[a-z]{2,20}")


def detect(attempt: Attempt) -> Sighting:
    thought = _last_thought(attempt)
    if thought is None:
        return NOT_APPLICABLE
    step, start, stop = thought
    final = _slot(attempt, attempt.stated)
    statements = sorted(explicit(step.text[start:stop]), key=lambda reading: reading.start) if final else []
    reasoned = _slot(attempt, statements) if statements else None
    if reasoned is None or final is None:
        return NOT_APPLICABLE
    if reasoned[0] == final[0] or same(reasoned[0], final[0]) or reasoned[0].isalpha() != final[0].isalpha():
        return CLEAN
    conclusion = reasoned[1]
    cites: list[Cite] = [
        attempt.cite(step, start + conclusion.start, start + conclusion.end),
        attempt.cite_final(final[1].start, final[1].end),
    ]
    return fired(*cites, detail=f"reasons to '{conclusion.text[:60]}' and answers '{final[1].text[:60]}'")


def _slot(attempt: Attempt, readings: list[AnswerCandidate]) -> tuple[str, AnswerCandidate] | None:
    """The last explicit statement, where it is a short answer without a hedge and the only one."""
    statements = [reading for reading in readings if reading.wrapper not in {"line", "mark"}]
    if not statements or statements[-1].doubtful:
        return None
    last = statements[-1]
    plain = letter_of(last.text, attempt.options) or normal(last.text)
    return (plain.casefold(), last) if _SHORT.fullmatch(plain.casefold()) else None


def _last_thought(attempt: Attempt) -> tuple[Step, int, int] | None:
    """The end of the thinking before the final message: a step of its own, or the part inside think tags."""
    if attempt.final is None:
        return None
    closed = attempt.final.text.rfind(THINK_CLOSE)
    if closed >= 0:
        return attempt.final, max(0, closed - END), closed
    place = next((at for at in range(len(attempt.steps) - 1, -1, -1) if attempt.steps[at] is attempt.final), 0)
    before = attempt.steps[place - 1] if place else None
    if before is None or before.kind is not StepKind.THOUGHT:
        return None
    return before, max(0, len(before.text) - min(END, LAST)), len(before.text)
