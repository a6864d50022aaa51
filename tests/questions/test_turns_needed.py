"""Turns that passes need, and what comes of rollouts that go on to the limit."""

from __future__ import annotations

from collections.abc import Sequence

from tests.questions.made_cases import case, run_of, words

from blade.questions import turns_needed

FAILED = [10] * 18 + [4, 6]


def answered(passed: Sequence[int], failed: Sequence[int]) -> str:
    cases = [case(task, passed=True, observed={"turns": turns}) for task, turns in enumerate(passed)]
    cases += [case(99 + task, passed=False, observed={"turns": turns}) for task, turns in enumerate(failed)]
    answer = turns_needed.ask([run_of("weak", cases)])
    return words(turns_needed.tell(answer)) if answer else ""


def test_a_limit_that_late_rollouts_do_not_use_would_hardly_help_if_larger() -> None:
    assert answered([1] * 12 + [2] * 4 + [3, 7], FAILED) == (
        "weak: 18 of 20 failures and 0 of 18 passes end at the limit of 10 turns. Passes need 1 turn in the median (12 "
        "of 18 need no more) and 7 at most. Of 20 rollouts still going after 5 turns, 1 (5.0%) passes before the "
        "limit: a larger limit would hardly help."
    )


def test_where_late_rollouts_still_pass_nothing_is_said_against_a_larger_limit() -> None:
    told = answered([3, 4, 6, 7, 7, 8, 8, 9], FAILED)
    assert told.endswith("Of 25 rollouts still going after 5 turns, 6 (24.0%) pass before the limit.")


def test_without_a_heap_at_the_largest_number_there_is_no_limit() -> None:
    assert not answered([1, 2, 3, 4, 5, 6], [5, 6, 7, 8, 9, 10])
