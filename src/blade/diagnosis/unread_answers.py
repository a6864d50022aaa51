"""Answer fields that are empty on passes as well: they do not hold what was judged, and an empty one tells nothing."""

from __future__ import annotations

from collections.abc import Sequence

from blade.diagnosis.cases import Case, RunCases
from blade.extract.given_answer import EMPTY, NO_ANSWER

RULE = "parse_failed"
FEWEST = 5
HALF = 0.5


def forget_empty_fields(runs: Sequence[RunCases]) -> Sequence[RunCases]:
    """The same runs; where passes leave the answer field empty too, no failure is told by an empty one."""
    for run in runs:
        if not is_not_what_was_judged(run.cases):
            continue
        for case in run.failing:
            sighting = case.sightings.get(RULE)
            if sighting is not None and sighting.detail.startswith(NO_ANSWER):
                case.sightings = {name: item for name, item in case.sightings.items() if name != RULE}
    return runs


def is_not_what_was_judged(cases: Sequence[Case]) -> bool:
    """Whether rollouts whose answer field is empty pass at least half as often as those whose field is filled."""
    answers = [
        (case, case.observed.get("answer") or {}) for case in cases if case.evaluable and case.passed is not None
    ]
    empty = [bool(case.passed) for case, answer in answers if answer.get("source") == EMPTY]
    filled = [bool(case.passed) for case, answer in answers if answer.get("source") not in (EMPTY, None)]
    if sum(empty) < FEWEST:
        return False
    return not filled or sum(empty) * len(filled) >= HALF * sum(filled) * len(empty)
