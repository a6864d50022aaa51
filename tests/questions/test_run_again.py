"""Rollouts that were run again after an end that does not count."""

from __future__ import annotations

from tests.questions.made_cases import case, run_of, words

from blade.extract.attempt import Attempt
from blade.extract.earlier_ends import earlier_end
from blade.questions import run_again


def test_the_first_end_is_read_from_the_source_or_from_the_count_of_tries() -> None:
    assert earlier_end(Attempt({"_translated": {"replaced": "RetryError"}})) == {"earlier_end": "RetryError"}
    assert earlier_end(Attempt({"_ng_attempt_index": 2})) == {"earlier_end": ""}
    for row in ({}, {"_ng_attempt_index": 0}, {"_ng_attempt_index": "x"}, {"_translated": {"replaced": 3}}):
        assert earlier_end(Attempt(row)) == {}, row


def test_how_much_of_the_score_rests_on_second_tries_is_told() -> None:
    tries = [case(task, passed=task < 3, observed={"earlier_end": "RetryError"}) for task in range(4)]
    plain = [case(task, passed=task % 2 == 0) for task in range(4, 14)]
    answer = run_again.ask([run_of("run-a", [*tries, *plain])])
    assert answer is not None
    sentence_text = (
        "4 rollouts of run-a were run again after a first end that does not count (RetryError 4); 3 of them pass (0, "
        "1, 2 and 3). With that end counted as a failure, 5 of 14 judged rollouts would pass instead of 8."
    )
    assert sentence_text in words(run_again.tell(answer))
    assert [sentence.text for sentence in run_again.brief(answer)] == [sentence_text]


def test_two_are_no_finding_and_all_tell_nothing() -> None:
    few = [case(task, passed=True, observed={"earlier_end": ""} if task < 2 else {}) for task in range(9)]
    assert run_again.ask([run_of("run-a", few)]) is None
    all_tries = [case(task, passed=True, observed={"earlier_end": ""}) for task in range(9)]
    assert run_again.ask([run_of("run-a", all_tries)]) is None
