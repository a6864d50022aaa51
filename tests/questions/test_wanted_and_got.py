"""What tests wanted and what they got: marks that were missed, and wrong results that come back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.gym_rows import Json, analysed, row, write
from tests.questions.made_cases import case, run_of, words

from blade.extract.comparisons import number_of
from blade.questions import wanted_and_got


def failed(task: int, attempt: int, *lines: str, passed: bool = False) -> Json:
    log = "\n".join(["shelf opened", *lines, "shelf closed"])
    return row(task, attempt, float(passed), verifier={"log": log}, extracted_answer=None, expected_answer=None)


@pytest.fixture(scope="module")
def answer(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Task 0 misses a mark in both runs, 1 gives one wrong word in both, 2 another each time, 3 ends with a code."""
    folder = tmp_path_factory.mktemp("wanted")
    runs = []
    for name, score, word in (("one", 0.58, "'oak'"), ("two", 0.61, "'elm'")):
        rows = [
            failed(0, 0, f"E       assert np.float64({score}) >= 0.62"),
            failed(1, 0, "E       AssertionError: File is wrong", "E       assert ['c3d5'] == ['e2e4', 'g2g4']"),
            failed(2, 0, f"E       assert {word} == 'ash'"),
            failed(3, 0, "E       assert 1 == 0", "E       assert -1 < -1"),
            failed(4, 0, passed=True),
        ]
        runs.append(f"{name}={write(folder / f'{name}.jsonl', rows)}")
    return analysed(*runs).investigation["wanted_and_got"]


def test_numbers_are_told_beside_the_mark_that_they_missed(answer: Any) -> None:
    mark, other = answer["marks"]
    assert (other["task"], other["mark"], other["nearest"]) == ("2", "… == 'ash'", 0.0)
    assert (mark["task"], mark["mark"], mark["values"]) == ("0", "… >= 0.62", [["one", "0.58"], ["two", "0.61"]])
    assert mark["nearest"] == pytest.approx(0.61 / 0.62)
    told = words(wanted_and_got.tell(answer))
    assert "0 | … >= 0.62 | one 0.58; two 0.61 | 2 | 0" in told
    assert "2 | … == 'ash' | one 'oak'; two 'elm' | 2 | 0" in told


def test_a_wrong_result_that_comes_back_is_told_and_a_code_is_not(answer: Any) -> None:
    assert [entry["task"] for entry in answer["results"]] == ["1"]
    told = words(wanted_and_got.tell(answer))
    assert (
        "In 1 task one comparison of the tests fails word for word in several rollouts; every judged rollout ends "
        "so in 1. A wrong or hidden key and a trap look alike: read the task." in told
    )
    assert "1 | ['c3d5'] == ['e2e4', 'g2g4'] | 2 | 2 | 2 | 0" in told


def test_a_comparison_of_one_rollout_is_told_whole_as_nobody_knows_its_mark() -> None:
    seen = {"compared": [["50", "<=", "42"]]}
    answer = wanted_and_got.ask([run_of("run", [case(0, passed=False, observed=seen), case(1, passed=True)])])
    assert answer is not None
    assert answer["marks"][0]["mark"] == ""
    assert "0 |  | run 50 <= 42 | 1 | 0" in words(wanted_and_got.tell(answer))


def test_one_run_repeats_a_result_three_times_before_it_is_told() -> None:
    seen = {"compared": [["two jars", "got", "three jars"]]}
    cases = [case(0, passed=False, observed=seen, attempt=attempt) for attempt in range(3)]
    assert wanted_and_got.ask([run_of("run", cases[:2])]) is None
    answer = wanted_and_got.ask([run_of("run", cases)])
    assert answer is not None
    assert answer["results"][0]["words"] == "wants three jars, gets two jars"


def test_what_is_expected_and_got_is_read_and_a_file_that_is_not_found_is_no_value(tmp_path: Path) -> None:
    rows = [
        failed(
            0, attempt, "E   AssertionError: Expected 11 rows (with the sum), got 3", "E   Expected data not found in a"
        )
        for attempt in range(3)
    ]
    rows += [failed(1, attempt, passed=True) for attempt in range(3)]
    (result,) = analysed(write(tmp_path / "run.jsonl", rows)).investigation["wanted_and_got"]["results"]
    assert (result["words"], result["rollouts"]) == ("wants 11 rows (with the sum), gets 3", 3)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.5", 0.5),
        ("np.float64(0.25)", 0.25),
        ("(1.05 * 2)", 2.1),
        ("-3", -3.0),
        ("True", None),
        ("len(x)", None),
        ("'7'", None),
        ("1 / 0", None),
        ("9" * 70, None),
    ],
)
def test_a_number_is_read_from_a_type_or_a_small_sum(text: str, value: float | None) -> None:
    assert number_of(text) == (None if value is None else pytest.approx(value))


def test_the_same_wrong_result_that_a_verifier_records_in_two_runs_is_told() -> None:
    def run(name: str, **results: str) -> Any:
        return run_of(
            name,
            [
                case(task, passed=False, observed={"result": {"kind": "other", "got": got, "expected": "13 jars"}})
                for task, got in enumerate(results.values())
            ],
        )

    answer = wanted_and_got.ask(
        [run("one", a="110 jars", b="7", c="9 jars"), run("two", a="110 jars", b="7", c="8 jars")]
    )
    assert answer is not None
    assert [(entry["task"], entry["words"]) for entry in answer["results"]] == [("0", "wants 13 jars, gets 110 jars")]
    assert "0 | wants 13 jars, gets 110 jars | 2 | 2 | 2 | 0" in words(wanted_and_got.tell(answer))
