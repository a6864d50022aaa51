"""The same call again: counted in failures and in passes, and only told where it sets them apart."""

from __future__ import annotations

import orjson
from tests.questions.made_cases import called, case, run_of, task_row, words

from blade.extract.attempt import Attempt
from blade.extract.observed import observed
from blade.questions import repeated_calls


def test_equal_calls_are_counted_in_failures_and_in_passes() -> None:
    cases = [case(task, passed=True, observed={"same": [1 + (task == 0), 2]}) for task in range(20)]
    cases += [case(30 + task, passed=False, observed={"same": [3, 4]}) for task in range(9)]
    cases += [case(50 + task, passed=False, observed={"same": [6, 1]}) for task in range(5)]
    cases += [case(60 + task, passed=False, observed={"same": [1, 4]}) for task in range(6)]
    answer = repeated_calls.ask([run_of("weak", cases)])
    assert answer is not None
    told = words(repeated_calls.tell(answer))
    assert "weak: 14 of 20 failures and 1 of 20 passes repeat a call with the same arguments" in told
    assert "5 failures and 0 passes make the same call 5 times or more, and no other." in told


def test_calls_that_passes_repeat_too_are_not_told() -> None:
    cases = [case(task, passed=task % 2 == 0, observed={"same": [2, 3]}) for task in range(40)]
    assert repeated_calls.ask([run_of("run", cases)]) is None


def test_what_a_row_repeats_and_ends_on_is_read_from_its_calls() -> None:
    look, other = called("look", {"at": "door"}, "shut"), called("look", {"at": "lamp"}, "dark  \n now")
    seen = orjson.loads(
        observed(Attempt(task_row(0, look, called("look", {"at": "door"}, "shut"), other, passed=False))) or ""
    )
    assert (seen["same"], seen["closing"]) == ([2, 2], ["look", '{"at": "lamp"}', "dark now"])


def test_attempts_at_one_task_are_held_against_each_other() -> None:
    """Hard tasks repeat and mostly fail, easy ones do neither: inside the tasks repeating goes with nothing."""
    cases = []
    for task in range(20):
        hard = task < 10
        seen = {"same": [3 if hard else 1, 4]}
        cases += [case(task, passed=(n == 0) == hard, observed=seen, attempt=n) for n in range(4)]
    assert repeated_calls.ask([run_of("run", cases)]) is None


def test_where_all_repeat_a_call_once_those_that_do_so_often_are_told() -> None:
    cases = [case(task, passed=True, observed={"same": [2, 3]}) for task in range(20)]
    cases += [case(30 + task, passed=False, observed={"same": [2, 3]}) for task in range(10)]
    cases += [case(50 + task, passed=False, observed={"same": [7, 12]}) for task in range(14)]
    answer = repeated_calls.ask([run_of("weak", cases)])
    assert answer is not None
    assert (
        "weak: 14 of 24 failures and 0 of 20 passes make one call with the same arguments 5 times or more (exact test"
        in words(repeated_calls.tell(answer))
    )
