"""Answers to tasks whose key is that there is no answer, where other attempts say so.

What the task leaves out cannot be known: who answers all the same fills it in. Where nobody sees it, the key or the
prompt may be at fault.
"""

from __future__ import annotations

from collections.abc import Sequence

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.rollout_causes import Cause
from blade.extract.answer_kind import NONE

FILLED_IN = "answers_what_has_no_answer"


def filled_in(runs: Sequence[RunCases]) -> dict[int, Cause]:
    """The cause of such failures, by the identity of the case."""
    cases = [case for run in runs for case in run.observing("answer") if wants_no_answer(case)]
    passed = {case.key for case in cases if case.passed}
    failures = [case for case in cases if case.key in passed and not case.passed and _answers(case)]
    return {id(case): Cause("BI", FILLED_IN, _why(case)) for case in failures}


def wants_no_answer(case: Case) -> bool:
    return bool(case.observed.get("answer", {}).get("key_kind") == NONE)


def _answers(case: Case) -> bool:
    answer = case.observed["answer"]
    return bool(answer.get("text")) and answer.get("kind") != NONE and not answer.get("meets")


def _why(case: Case) -> str:
    return f"answers “{case.observed['answer']['text'][:60]}” where there is no answer, as other attempts say"
