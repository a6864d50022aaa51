"""The forms in which a rollout writes the arguments of its calls: what stays when letters and digits are masked."""

from __future__ import annotations

from typing import Any

import pytest
from tests.gym_rows import Json, response, row
from tests.questions.made_cases import called

from blade.extract.attempt import Attempt
from blade.extract.value_forms import MOST_ARGUMENTS, MOST_CALLS, MOST_FORMS, value_forms


def forms_of(*calls: tuple[str, Any]) -> Any:
    """Tool → argument → form → example of a rollout with these calls; None where none has a form."""
    items: list[Json] = [item for name, arguments in calls for item in called(name, arguments, "done")]
    return value_forms(Attempt(row(response=response(*items)))).get("forms")


def form_of(value: Any) -> list[str]:
    forms = forms_of(("book_table", {"when": value}))
    return list(forms["book_table"]["when"]) if forms else []


@pytest.mark.parametrize(
    ("value", "form"),
    [
        ("2031-05-06T10:00:00Z", "9-9-9A9:9:9A"),
        ("2031-05-06T10:00:00", "9-9-9A9:9:9"),
        ("2031-05-06", "9-9-9"),
        ("06/05/2031", "9/9/9"),
        ("6 May", "9 Aa"),
        ("6 MAY", "9 A"),
        ("6 may", "9 a"),
        ("JAR-12", "A-9"),
        ("jar_12", "a_9"),
        ("jarShelf", "aA"),
        ("red, green, blue", "a, …"),
        ("red; green", "a; …"),
        ("Old Stone Barn", "Aa …"),
        ("12", "9"),
        (12, "number 9"),
        (12.5, "number 9.9"),
        (-12, "number -9"),
        (True, "True"),
        (None, "None"),
        ("a" * 48, "a"),
        ("one two three four", "a …"),
    ],
)
def test_a_form_is_the_value_with_its_words_and_digits_masked(value: Any, form: str) -> None:
    assert form_of(value) == [form]


@pytest.mark.parametrize("value", ["a" * 49, "one two three four five", "one\ntwo", {"day": "6 May"}, [], [["6 May"]]])
def test_long_texts_lines_and_records_have_no_form(value: Any) -> None:
    assert form_of(value) == []


def test_equal_forms_are_kept_once_with_the_first_value() -> None:
    calls = [("book_table", {"when": day, "seats": 2}) for day in ("6 May", "7 June", "2031-05-06")]
    assert forms_of(*calls) == {
        "book_table": {"when": {"9 Aa": "6 May", "9-9-9": "2031-05-06"}, "seats": {"number 9": "2"}}
    }


def test_a_long_example_is_cut_and_a_number_stays_a_number_beside_its_text() -> None:
    forms = forms_of(("book_table", {"when": "b" * 40}), ("book_table", {"when": 7}), ("book_table", {"when": "7"}))
    examples = forms["book_table"]["when"]
    assert list(examples) == ["a", "number 9", "9"]
    assert len(examples["a"]) == 32
    assert examples["a"].startswith("b" * 31)


def test_a_list_has_the_forms_of_its_first_plain_values() -> None:
    assert form_of(["6 May", 7, {"day": "06/05"}, True, "JAR-12"]) == ["9 Aa", "number 9", "True"]


def test_a_few_forms_arguments_and_calls_are_read() -> None:
    values = ["6 May", "6/5", "6-5", "6.5", "6:5"]
    forms = forms_of(*(("book_table", {"when": value}) for value in values))
    assert list(forms["book_table"]["when"].values()) == values[:MOST_FORMS]
    wide = forms_of(("book_table", {f"part{place}": "oak" for place in range(MOST_ARGUMENTS + 1)}))
    assert list(wide["book_table"]) == [f"part{place}" for place in range(MOST_ARGUMENTS)]
    days = [("book_table", {"when": "6 May", "place": place}) for place in range(MOST_CALLS)]
    assert list(forms_of(*days, ("list_jars", {"shelf": "A"}))) == ["book_table"]
    assert list(forms_of(*days[1:], ("list_jars", {"shelf": "A"}))) == ["book_table", "list_jars"]


def test_the_only_argument_of_a_shell_is_a_command_and_has_no_form() -> None:
    assert forms_of(("bash", {"command": "ls"})) is None
    assert forms_of(("bash", {"command": "ls", "seconds": 9})) is None
    assert forms_of(("weather", {"day": "6 May"})) == {"weather": {"day": {"9 Aa": "6 May"}}}
    assert forms_of(("book", {"note": ""})) == {"book": {"note": {"nothing": ""}}}, "given, and empty"
    assert forms_of(("list_jars", {"shelf": "A"})) == {"list_jars": {"shelf": {"A": "A"}}}
    assert forms_of(("create_jar", {"shelf": "A"})) == {"create_jar": {"shelf": {"A": "A"}}}


def test_an_argument_that_some_calls_of_a_tool_leave_out_has_the_empty_form_too() -> None:
    dated, bare = {"when": "6 May", "seats": 2}, {"seats": 3}
    expected = {"book_table": {"when": {"9 Aa": "6 May", "": ""}, "seats": {"number 9": "2"}}}
    assert forms_of(("book_table", dated), ("book_table", bare)) == expected
    assert forms_of(("book_table", bare), ("book_table", dated))["book_table"]["when"] == {"9 Aa": "6 May", "": ""}
    apart = forms_of(("book_table", dated), ("list_tables", bare))
    assert apart == {
        "book_table": {"when": {"9 Aa": "6 May"}, "seats": {"number 9": "2"}},
        "list_tables": {"seats": {"number 9": "3"}},
    }


def test_an_argument_without_a_form_that_is_left_out_once_has_the_empty_form_alone() -> None:
    long = {"note": "a note of more than a few words", "seats": 2}
    assert forms_of(("book_table", long), ("book_table", {"seats": 2})) == {
        "book_table": {"seats": {"number 9": "2"}, "note": {"": ""}}
    }


def test_calls_without_named_arguments_have_no_form() -> None:
    assert forms_of() is None
    assert forms_of(("book_table", {})) is None
    assert forms_of(("book_table", ["6 May"]), ("list_tables", "6 May")) is None
    assert forms_of(("book_table", {"note": "a note of more than a few words"})) is None
