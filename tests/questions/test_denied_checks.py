"""Failures that meet every check which the verifier records."""

from __future__ import annotations

from typing import Any

import pytest
from tests.gym_rows import Json
from tests.questions.made_cases import case, run_of, words

from blade.diagnosis.cases import RunCases
from blade.questions import denied_checks


def made(task: int, *, passed: bool, met: int) -> Any:
    return case(task, passed=passed, observed={"check_sets": {"probes": [met, 3]}})


def runs(denied: int, passes: int = 40, failures: int = 20) -> list[RunCases]:
    cases = [made(task, passed=True, met=3) for task in range(passes)]
    cases += [made(100 + task, passed=False, met=1) for task in range(failures)]
    return [run_of("one", [*cases, *(made(200 + task, passed=False, met=3) for task in range(denied))])]


@pytest.fixture(autouse=True)
def fields(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of tasks from 200 on the rows say that something was lost."""

    def told(run: RunCases) -> list[Json]:
        return [{"stage": "lost" if int(one.key) >= 200 else "done", "reward": one.reward} for one in run.cases]

    monkeypatch.setattr(RunCases, "fields", told)


def test_they_are_told_with_what_they_share_and_the_score_if_they_had_passed() -> None:
    answer = denied_checks.ask(runs(denied=3))
    assert answer is not None
    assert words(denied_checks.tell(answer)) == (
        "3 judged rollouts of 3 tasks (one 3) are scored as failed although every check that is recorded was met; of "
        "the 43 that meet every check all others pass. All of them have stage “lost”, and no pass has. Tasks: 200, 201 "
        "and 202; e.g. 200, attempt 0 of one. Counted as passes: one 63.5% → 68.3% of judged rollouts."
    )
    (advice,) = denied_checks.advise(answer)
    assert (advice.rollouts, advice.before_scores) == (3, True)


def test_few_or_many_of_them_are_told_by_nothing() -> None:
    assert denied_checks.ask(runs(denied=2)) is None, "two may be anything"
    assert denied_checks.ask(runs(denied=10)) is None, "so many say that the checks do not decide"


def test_passes_that_miss_checks_say_that_checks_do_not_decide() -> None:
    cases = [made(task, passed=True, met=3) for task in range(30)]
    cases += [made(50 + task, passed=True, met=2) for task in range(10)]
    cases += [made(200 + task, passed=False, met=3) for task in range(3)]
    assert denied_checks.ask([run_of("one", cases)]) is None
