"""What the model says of its own work, beside what the verifier says."""

from __future__ import annotations

import pytest
from tests.gym_rows import Json
from tests.questions.made_cases import called, case, run_of, said, task_row, words

from blade.extract.attempt import Attempt
from blade.extract.own_verdicts import own_verdict
from blade.questions import own_verdicts

WORK = called("write_file", {"path": "a"}, "written")


@pytest.mark.parametrize(
    ("parts", "claimed"),
    [
        ((WORK, said("The file has been created.")), {"claims_done": 1}),
        ((WORK, said("All tests pass.")), {"claims_done": 1}),
        ((WORK, said("I have created the file. However, one test fails.")), {"claims_done": 0}),
        ((WORK, said("Let us see.")), {"claims_done": 0}),
        ((said("The file has been created."), WORK), {}),
        ((WORK,), {}),
    ],
)
def test_the_closing_message_claims_or_does_not(parts: tuple[list[Json], ...], claimed: dict[str, int]) -> None:
    assert own_verdict(Attempt(task_row(0, *parts, passed=False))) == claimed


def asked(failures: tuple[int, int], passes: tuple[int, int]) -> str:
    """So many failures and passes that claim, of so many."""
    cases = [
        case(number, passed=passed, observed={"claims_done": int(number < claiming)})
        for passed, (claiming, of) in ((False, failures), (True, passes))
        for number in range(of)
    ]
    answer = own_verdicts.ask([run_of("one", cases)])
    return "" if answer is None else words(own_verdicts.tell(answer))


def test_claims_that_are_as_common_in_failures_tell_nothing() -> None:
    assert asked((18, 20), (38, 40)) == (
        "In 18 of 20 judged failures that make calls and close with a message the model says in plain words that the "
        "work is done and speaks of no trouble; of 40 passes of this kind 38 do: such words do not tell them apart, so "
        "they are no check of the work."
    )


def test_claims_that_are_commoner_in_passes_are_told_so() -> None:
    assert asked((60, 100), (99, 100)).endswith("of 100 passes of this kind 99 do: passes say so more often.")


@pytest.mark.parametrize(
    ("failures", "passes"), [((11, 20), (40, 40)), ((9, 9), (40, 40)), ((20, 20), (9, 9)), ((12, 20), (9, 10))]
)
def test_few_are_not_told(failures: tuple[int, int], passes: tuple[int, int]) -> None:
    assert asked(failures, passes) == ""


def test_runs_are_told_apart() -> None:
    cases = [case(number, passed=number % 2 == 0, observed={"claims_done": 1}) for number in range(24)]
    answer = own_verdicts.ask([run_of("one", cases[:14]), run_of("two", cases[14:])])
    assert answer is not None
    assert "trouble (one 7 of 7 and two 5 of 5)" in words(own_verdicts.tell(answer))
