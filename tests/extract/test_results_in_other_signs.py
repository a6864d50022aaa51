"""Results that are the expected ones written otherwise, and what a verifier's words and flagged records add."""

from __future__ import annotations

from typing import Any

import pytest
from tests.gym_rows import row

from blade.extract.attempt import Attempt
from blade.extract.comparisons import GOT, comparisons
from blade.extract.recorded_results import (
    LETTERS,
    NOTHING,
    NUMBER,
    OTHER,
    ROUNDING,
    SPACES,
    difference,
    recorded_results,
)


def attempt_with(reward: float = 0.0, **verifier: Any) -> Attempt:
    return Attempt(row(0, 0, reward, verifier=verifier, expected_answer=None, extracted_answer=None))


def result_of(reward: float = 0.0, **verifier: Any) -> Any:
    return recorded_results(attempt_with(reward, **verifier)).get("result")


@pytest.mark.parametrize(
    ("got", "expected"),
    [
        ("“4836”", "4,836.00"),
        ("4,836.00", "4836"),
        ("4836", "4,836"),
        ("4,836", "4836"),
        ("4’836", "4836"),
        ("4'836.50", "4,836.5"),
        ("4 836", "4836"),
        ("4_836", "4836"),
        ("It is 4836 jars.", "4,836"),
        ("9 lids and 4836 jars", "4,836"),
        ("48,5", "48.50"),
        ("48.5", "48,50"),
        ("483", "0483"),
        ("1,234,567", "1234567"),
        ("0.50", "0.500"),
    ],
)
def test_the_expected_number_in_other_signs_is_a_number(got: str, expected: str) -> None:
    assert difference(got, expected) == NUMBER


@pytest.mark.parametrize(
    ("got", "expected"),
    [
        ("4837", "4,836"),
        ("14836", "4,836"),
        ("48360", "4,836"),
        ("x4836", "4,836"),
        ("4836x", "4,836"),
        ("4836.5", "4,836"),
        ("4,836.00", "4,836.01"),
        ("4.836", "4836"),
        ("4,836", "4.836"),
        ("48", "4,8"),
        ("4,8", "4.8"),
        ("4.5.6", "1.2.3"),
        ("1.2.34", "1.2.340"),
        ("7,0", "7"),
        ("4836", "4,836 jars"),
        ("The answer is 4836", "4836"),
        ("4836", "-4,836"),
        ("48.36", "4.8.36"),
        ("four", "4,836"),
    ],
)
def test_another_number_few_digits_or_the_number_as_expected_are_none(got: str, expected: str) -> None:
    assert difference(got, expected) == OTHER


def test_a_number_with_as_many_digits_as_asked_for_is_told_from_a_shorter_one() -> None:
    assert difference("1.20", "1.2") == ROUNDING
    assert difference("1.2", "1.20") == NUMBER


@pytest.mark.parametrize(
    ("got", "expected", "kind"),
    [
        ("4836\n", "4836", SPACES),
        ("4836", "4836\n", SPACES),
        (" 4,836", "4,836", SPACES),
        ("a  b", "a b", SPACES),
        ("ab", "a b", OTHER),
        ("OAK\n", "oak", LETTERS),
        ("", "4,836", NOTHING),
        ("0.5", ".500", ROUNDING),
        ("4835.9999999999", "4836.0", ROUNDING),
        ("4,836 1.0000000001", "4,836 1.0", ROUNDING),
    ],
)
def test_spaces_letters_and_last_places_stay_what_they_are(got: str, expected: str, kind: str) -> None:
    assert difference(got, expected) == kind


@pytest.mark.parametrize(
    ("record", "result"),
    [
        (
            {"wanted": "4,836.00", "saw": "“4836”", "met": False},
            {"kind": NUMBER, "got": "“4836”", "expected": "4,836.00"},
        ),
        ({"want": "oak", "have": "elm", "ok": False}, {"kind": OTHER, "got": "elm", "expected": "oak"}),
        ({"desired": 3, "seen": 4, "met": False}, {"kind": OTHER, "got": "4", "expected": "3"}),
        (
            {"required": [1, 2], "observed": [1, 3], "met": False},
            {"kind": OTHER, "got": "[1, 3]", "expected": "[1, 2]"},
        ),
        ({"should_be": "oak", "found": "Oak", "met": False}, {"kind": LETTERS, "got": "Oak", "expected": "oak"}),
        (
            {"expected": "1.5000000001", "actual": "1.5", "met": False},
            {"kind": ROUNDING, "got": "1.5", "expected": "1.5000000001"},
        ),
        ({"wanted": "a b", "saw": "a\n b", "met": False}, {"kind": SPACES, "got": "a\n b", "expected": "a b"}),
        ({"wanted": "oak", "saw": "", "met": False}, {"kind": NOTHING, "got": "", "expected": "oak"}),
    ],
)
def test_a_record_that_is_flagged_as_missed_is_a_result_of_a_test(record: Any, result: Any) -> None:
    assert result_of(checks=[record]) == result
    assert result_of(check=record) == result


def test_a_record_that_is_met_is_skipped_and_one_without_a_flag_is_an_answer_and_its_key() -> None:
    record = {"wanted": "oak", "saw": "elm"}
    assert result_of(checks=[record]) is None
    assert result_of(checks=[record | {"met": True}]) is None
    assert result_of(checks=[record | {"met": True, "status": "closed", "input": "shelf 3"}]) is None
    assert result_of(checks=[record | {"met": None}]) is None
    assert result_of(checks=[record | {"met": 0}]) is None
    later = {"wanted": "ash", "saw": "fir", "met": False}
    assert result_of(checks=[record | {"met": True}, later])["got"] == "fir"
    same = {"wanted": "ash", "saw": "ash", "met": False}
    assert result_of(checks=[same]) is None
    assert result_of(checks=[same, record | {"met": False}])["got"] == "elm"


def test_what_went_into_a_test_or_how_it_ended_tells_it_without_a_flag() -> None:
    record = {"wanted": "oak", "saw": "elm"}
    expected = {"kind": OTHER, "got": "elm", "expected": "oak"}
    assert result_of(checks=[record | {"status": "closed"}]) == expected
    assert result_of(checks=[record | {"input": "shelf 3"}]) == expected | {"shown": 0}


def test_words_of_a_verifier_are_a_result_where_points_were_lost_and_nothing_is_recorded() -> None:
    message = r"check 3: want '4836', have '4836\n'"
    assert result_of(message=message) == {"kind": SPACES, "got": "4836\n", "expected": "4836", "stated": 1}
    assert result_of(0.5, message=message)["kind"] == SPACES
    assert result_of(1.0, message=message) is None
    record = {"wanted": "oak", "saw": "elm", "met": False}
    assert result_of(message=message, checks=[record]) == {"kind": OTHER, "got": "elm", "expected": "oak"}
    assert result_of(1.0, checks=[record]) == {"kind": OTHER, "got": "elm", "expected": "oak"}
    number = "Expected 4,836.00 but got “4836”."
    assert result_of(message=number) == {"kind": NUMBER, "got": "4836", "expected": "4,836.00", "stated": 1}
    rounded = "Expected 0.333333333333, got 0.33333333333."
    assert result_of(message=rounded)["kind"] == ROUNDING


def test_the_first_words_that_differ_are_the_result() -> None:
    lines = "want 'oak', have 'oak'\nwant 'ash', have 'fir'\nwant 'elm', have 'yew'"
    assert result_of(log=lines) == {"kind": OTHER, "got": "fir", "expected": "ash", "stated": 1}
    assert result_of(log="want 'oak', have 'oak'") is None


def test_comparisons_hold_what_a_verifier_says_with_the_result_on_the_left() -> None:
    assert comparisons(attempt_with(message="want 'oak', have 'elm'")) == {"compared": [["elm", GOT, "oak"]]}
    assert comparisons(attempt_with(message="got 'elm', want 'oak'")) == {"compared": [["elm", GOT, "oak"]]}
    assert comparisons(attempt_with(message=r"want '4836', have '4836\n'")) == {"compared": [["4836", GOT, "4836"]]}
    assert comparisons(attempt_with(message="want 'oak'")) == {}


def test_comparisons_of_words_are_those_of_lost_points() -> None:
    message = "want 'oak', have 'elm'"
    assert comparisons(attempt_with(1.0, message=message)) == {}
    assert comparisons(attempt_with(0.9, message=message)) == {"compared": [["elm", GOT, "oak"]]}
    assertion = "E   assert 3 == 4"
    assert comparisons(attempt_with(1.0, log=assertion)) == {"compared": [["3", "==", "4"]]}


def test_assertions_come_before_words_each_comparison_once_and_no_more_than_a_few() -> None:
    log = "want 'oak', have 'elm'\nE   assert 3 == 4\nE   AssertionError: Expected 11, got 12"
    expected = [["3", "==", "4"], ["12", GOT, "11"], ["elm", GOT, "oak"]]
    assert comparisons(attempt_with(log=log)) == {"compared": expected}
    lines = [f"want {place}, have {place + 100}" for place in range(8)]
    many = comparisons(attempt_with(log="\n".join([*lines, "E   assert 3 == 4"])))["compared"]
    assert len(many) == 8
    assert many[0] == ["3", "==", "4"]
    assert many[-1] == ["106", GOT, "6"]


def test_a_long_side_is_cut() -> None:
    ((got, _, wanted),) = comparisons(attempt_with(message=f"want '{'a' * 90}', have 'elm'"))["compared"]
    assert (got, len(wanted)) == ("elm", 80)
    result = result_of(message=f"want 'elm', have '{'a' * 90}'")
    assert (len(result["got"]), result["expected"]) == (80, "elm")


@pytest.mark.parametrize(
    ("result", "expected", "kind"),
    [
        ("-4836", "4,836", OTHER),
        ("3 4 5", "345", OTHER),
        ("123", "1 2 3", OTHER),
        ("1,2,3", "123", OTHER),
        ("1234.56", "1.234,56", NUMBER),
        ("1.23456", "1.234,56", OTHER),
        ("EUR 4836.00 a year", "4836", NUMBER),
        ("EUR 4836 a year", "4836", OTHER),
        ("\n", "4836", NOTHING),
    ],
)
def test_signs_and_groups_of_digits_are_part_of_a_number(result: str, expected: str, kind: str) -> None:
    assert difference(result, expected) == kind


@pytest.mark.parametrize(
    ("record", "kind"),
    [
        ({"expected": "oak", "output": "elm", "failed": True}, OTHER),
        ({"expected": "oak", "output": "elm", "passed": False, "compiled": True}, OTHER),
        ({"expected": "oak", "output": "oak\n", "passed": False}, SPACES),
        ({"expected": "oak", "output": "oak\n", "passed": True}, None),
        ({"expected": "oak", "found": False}, None),
    ],
)
def test_what_a_flag_of_the_record_says(record: dict[str, Any], kind: str | None) -> None:
    assert (result_of(tests=[record]) or {}).get("kind") == kind
