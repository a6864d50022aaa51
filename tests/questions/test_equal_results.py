"""Results that are equal by value and fail for how they are written: told however few they are."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.gym_rows import Json, analysed, row, write
from tests.questions.made_cases import case, run_of, words

from blade.diagnosis.cases import Case
from blade.extract.recorded_results import LETTERS, NUMBER, OTHER, REORDERED, ROUNDING, SPACES, TIME
from blade.questions import recorded_results

BY_VALUE = "Have the verifier compare results by value, and judge again what differs only in how it is written"
SAYINGS = {
    NUMBER: "the test that failed got the expected number written otherwise (“4836” for “4,836.00”)",
    ROUNDING: "the test that failed got the expected numbers but for their last places (“4836” for “4,836.00”): the "
    "verifier takes them as text",
    SPACES: "the test that failed got what was expected but for spaces and line breaks",
}


def failures(kind: str, many: int, start: int) -> list[Case]:
    seen = {"result": {"kind": kind, "got": "4836", "expected": "4,836.00"}}
    return [case(start + place, passed=False, observed=seen) for place in range(many)]


def asked(kinds: Mapping[str, int]) -> Any:
    """One run with so many failures of each kind, each of another task."""
    cases: list[Case] = []
    for kind, many in kinds.items():
        cases += failures(kind, many, len(cases))
    return recorded_results.ask([run_of("red", cases)])


@pytest.mark.parametrize("kind", [NUMBER, ROUNDING, SPACES])
def test_a_few_results_that_are_equal_by_value_are_told_advised_on_and_an_item_of_health(kind: str) -> None:
    answer = asked({kind: 3, OTHER: 97})
    head = f"In 3 of 100 failures of red {SAYINGS[kind]} (0, 1 and 2)."
    assert words(recorded_results.tell(answer)) == f"{head} None of the 3 judged rollouts of these tasks pass."
    (item,) = recorded_results.health(answer)
    assert (item["check"], item["severity"], list(item["tasks"])) == ("suspect_gold", "medium", ["0", "1", "2"])
    assert item["statement"] == head
    (sentence,) = recorded_results.brief(answer)
    assert sentence.text == head
    (advice,) = recorded_results.advise(answer)
    assert (advice.kind, advice.change, advice.rollouts) == ("verifier", BY_VALUE, 3)
    assert (advice.sure, advice.before_scores) == (0.8, True)
    assert advice.because.text == "3 failures end so."


@pytest.mark.parametrize("kind", [LETTERS, REORDERED, TIME])
def test_a_few_results_of_other_kinds_are_told_and_no_more(kind: str) -> None:
    answer = asked({kind: 3, OTHER: 97})
    assert words(recorded_results.tell(answer)).startswith("In 3 of 100 failures of red ")
    assert list(recorded_results.health(answer)) == []
    assert list(recorded_results.brief(answer)) == []
    assert list(recorded_results.advise(answer)) == []


def test_capital_letters_are_advised_on_where_they_are_many_and_with_less_trust() -> None:
    many, fewer = asked({LETTERS: 10, OTHER: 30}), asked({LETTERS: 10, OTHER: 31})
    (advice,) = recorded_results.advise(many)
    assert (advice.change, advice.rollouts, advice.sure) == (BY_VALUE, 10, 0.3)
    assert list(recorded_results.health(many)) == []
    assert len(list(recorded_results.brief(many))) == 1
    assert list(recorded_results.advise(fewer)) == []
    assert list(recorded_results.brief(fewer)) == []


def test_a_large_share_of_equal_values_is_trusted_no_less() -> None:
    (advice,) = recorded_results.advise(asked({NUMBER: 30, OTHER: 10}))
    assert (advice.rollouts, advice.sure) == (30, 0.8)


def test_each_kind_is_told_by_itself_and_the_first_screen_names_the_most_frequent_alone() -> None:
    answer = asked({NUMBER: 3, SPACES: 4, TIME: 9, OTHER: 84})
    assert [entry["kind"] for entry in answer["kinds"]] == [TIME, SPACES, NUMBER]
    assert [list(item["tasks"]) for item in recorded_results.health(answer)] == [["3", "4", "5", "6"], ["0", "1", "2"]]
    assert [advice.rollouts for advice in recorded_results.advise(answer)] == [4, 3]
    assert list(recorded_results.brief(answer)) == []


def test_two_results_or_few_records_say_nothing() -> None:
    assert asked({NUMBER: 2, OTHER: 98}) is None
    assert asked({NUMBER: 4}) is None
    assert asked({NUMBER: 5})["kinds"][0]["failures"] == 5


def test_a_number_in_other_signs_is_no_fault_of_a_whole_task_as_last_places_are() -> None:
    def twice(kind: str) -> Any:
        cases = [*failures(kind, 3, 0), *failures(kind, 3, 0)]
        return recorded_results.ask([run_of("red", cases)])

    assert recorded_results.faults(twice(NUMBER)) == {}
    assert list(recorded_results.faults(twice(ROUNDING))) == ["0", "1", "2"]


def test_flagged_records_and_words_of_verifiers_are_read_out_of_rows(tmp_path: Path) -> None:
    def judged_row(task: int, **verifier: Any) -> Json:
        return row(task, 0, 0.0, verifier=verifier, expected_answer=None, extracted_answer=None)

    met = {"wanted": "oak", "saw": "elm", "met": True}
    missed = {"wanted": "4,836.00", "saw": "“4836”", "met": False}
    rows = [judged_row(task, checks=[met, missed]) for task in range(3)]
    rows += [judged_row(task, message=r"want '4836', have '4836\n'") for task in range(3, 7)]
    rows += [judged_row(task, checks=[met]) for task in range(7, 9)]
    answer = analysed(write(tmp_path / "red.jsonl", rows)).investigation["recorded_results"]
    assert [(entry["kind"], entry["failures"], entry["tasks"]) for entry in answer["kinds"]] == [
        (SPACES, 4, ["3", "4", "5", "6"]),
        (NUMBER, 3, ["0", "1", "2"]),
    ]
    assert (
        "In 3 of 9 failures of red the test that failed got the expected number written otherwise (““4836”” for "
        "“4,836.00”) (0, 1 and 2)." in words(recorded_results.tell(answer))
    )
