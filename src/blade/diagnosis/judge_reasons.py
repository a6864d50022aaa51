"""The reasons that a judge gives for its verdicts, read once for all questions about a run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from blade.diagnosis.cases import Case, RunCases
from blade.evidence import open_rows
from blade.extract.judge_texts import judge_texts
from blade.extract.text import clip, squeeze
from blade.extract.transcript import prompt_steps
from blade.frozen import frozen
from blade.late_regex import late_regex
from blade.model import Source

MOST_OPENED = 300
"""So many failures and so many passes of a run are opened, taken evenly."""
FIRST_LOOK = 12
"""Where none of so many rows has a reason, no other is opened."""
LONGEST = 6_000
LONGEST_QUOTE = 160
_SHORT = late_regex(
    r"[^.\n]{0,60}\b(?:concise(?:ly)?|brief(?:ly)?|short (?:answer|response|reply)|(?:a )?few words|one sentence)\b"
    r"[^.\n]{0,40}",
    re.IGNORECASE,
)
_SENTENCE = late_regex(r"[^.\n!?]*(?:[.!?](?=\d|\w)[^.\n!?]*)*[.!?]?")
_LETTER_OR_NUMBER = late_regex(r"\b(?:\w|\d[\d.,]*)\b")
_MARKS = " *-#>"


@frozen
class JudgeReason:
    """A rollout, what its judge says, and the words of its prompt that ask for a short answer."""

    case: Case
    text: str
    asks: str
    full: bool
    """Whether it passes; where nothing says what a pass is, whether it has the best reward of the run."""


def judge_reasons(run: RunCases) -> list[JudgeReason]:
    """The judged rollouts of a run whose verdict has a reason, in the order of the run."""
    if "judge reasons" not in run.known:
        run.known["judge reasons"] = list(_reasons(run))
    reasons: list[JudgeReason] = run.known["judge reasons"]
    return reasons


def _reasons(run: RunCases) -> Iterator[JudgeReason]:
    cases = [case for case in run.cases if case.evaluable and case.stage_lost is None and case.reward is not None]
    best = max((case.reward for case in cases if case.reward is not None), default=0.0)
    full = {id(case): bool(case.passed) if case.passed is not None else case.reward == best for case in cases}
    if not any(True for _ in _read(_spread(cases, FIRST_LOOK))):
        return
    opened = {
        id(case)
        for outcome in (False, True)
        for case in _spread([case for case in cases if full[id(case)] is outcome], MOST_OPENED)
    }
    for case, text, asks in _read([case for case in cases if id(case) in opened]):
        yield JudgeReason(case, text, asks, full[id(case)])


def _spread(cases: Sequence[Case], most: int) -> Sequence[Case]:
    return cases if len(cases) <= most else [cases[number * len(cases) // most] for number in range(most)]


def _read(cases: Sequence[Case]) -> Iterator[tuple[Case, str, str]]:
    by_place = {case.place: case for case in cases}
    for source, row in open_rows(Source(*case.place) for case in cases):
        if texts := judge_texts(row):
            steps = prompt_steps(row.get("responses_create_params"))
            asked = next((match[0] for step in steps if (match := _SHORT.search(step.text))), "")
            case = by_place[source.file, source.line, source.offset, source.length]
            yield case, "\n".join(texts)[-LONGEST:], clip(squeeze(asked), LONGEST_QUOTE)


def are_reasons(texts: Iterable[str]) -> bool:
    """Whether a judge says of most rollouts something of their own: one text with another grade in it is no reason."""
    masked = [_LETTER_OR_NUMBER.sub("_", text) for text in texts]
    return len(set(masked)) * 2 > len(masked) and (len(masked) == 1 or len(set(masked)) > 1)


def sentences_of(text: str) -> list[str]:
    """The sentences of a reason without the marks of its lists."""
    return [words for match in _SENTENCE.finditer(text) if (words := squeeze(match[0]).strip(_MARKS))]


def sentence_at(text: str, place: int) -> str:
    """The sentence around a place, cut short where it is long."""
    around = next((match for match in _SENTENCE.finditer(text) if match.start() <= place < match.end()), None)
    return clip(squeeze(around[0] if around else text[place:]).strip(_MARKS), LONGEST_QUOTE)
