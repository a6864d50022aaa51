"""Tasks that can be passed and whose failures fail one and the same check."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.gym_rows import Json, analysed, request, row, write
from tests.questions.made_cases import words

from blade.questions import single_checks

ASKED = "Bake bread for the guests and put the loaf on the table."


def _row(task: int, attempt: int, *missed: str) -> Json:
    names = ("test_loaf_baked", "test_gluten_free", "test_table_set")
    results = {f"{name} - AssertionError: no" if name in missed else name: name not in missed for name in names}
    return row(
        task,
        attempt,
        float(not missed),
        responses_create_params=request(ASKED),
        expected_answer=None,
        extracted_answer=None,
        verifier={"test_results": results},
    )


def test_the_check_that_alone_stops_most_failures_is_told_with_what_the_task_does_not_say(tmp_path: Path) -> None:
    first = [_row(1, attempt, "test_gluten_free") for attempt in range(4)] + [_row(2, 0), _row(2, 1)]
    second = [_row(1, 0), *(_row(1, attempt, "test_gluten_free") for attempt in (1, 2)), _row(2, 0, "test_table_set")]
    second += [_row(1, 3, "test_gluten_free", "test_loaf_baked")]
    paths = [f"{name}={write(tmp_path / name, rows)}" for name, rows in (("one", first), ("two", second))]
    text = words(single_checks.tell(analysed(*paths).investigation["single_checks"]))
    assert "In 1 task that some rollout passes, the same check, and no other, stops half of the failures" in text
    assert (
        "1: “test_gluten_free” alone fails in 6 of 7 judged failures (one 4 and two 2), while 1 rollout passes. The "
        "text of the task has no word like “gluten”." in text
    ), text


def test_a_task_that_nobody_passes_or_fails_in_many_ways_is_left_out(tmp_path: Path) -> None:
    never = [_row(1, attempt, "test_gluten_free") for attempt in range(5)]
    mixed = [_row(2, 0), _row(2, 1, "test_table_set"), _row(2, 2, "test_loaf_baked")]
    mixed += [_row(2, attempt, "test_loaf_baked", "test_table_set") for attempt in (3, 4, 5)]
    assert "single_checks" not in analysed(write(tmp_path / "one.jsonl", never + mixed)).investigation


def test_what_a_check_of_every_task_is_called_is_no_hidden_demand(tmp_path: Path) -> None:
    rows = [_row(1, attempt, "test_gluten_free") for attempt in range(4)] + [_row(1, 4)]
    every = [_row(task, attempt) for task in range(2, 9) for attempt in range(2)]
    text = words(
        single_checks.tell(analysed(write(tmp_path / "one.jsonl", rows + every)).investigation["single_checks"])
    )
    assert "1: “test_gluten_free” alone fails in 4 of 4 judged failures" in text
    assert "no word like" not in text, text


@pytest.mark.parametrize(
    ("check", "unsaid"),
    [
        ("test_jar_found", []),
        ("test_about_jar", []),
        ("test_copies", []),
        ("test_running", []),
        ("test_negative_jar", ["negative"]),
    ],
)
def test_common_words_and_forms_of_what_the_task_says_are_no_hidden_demand(check: str, unsaid: list[str]) -> None:
    assert single_checks._unsaid(check, "Copy the jars, and run the press.") == unsaid


def test_a_check_that_alone_stops_failures_of_all_tasks_is_what_the_benchmark_asks(tmp_path: Path) -> None:
    missed = [["test_loaf_baked"]] * 3 + [[]]
    rows = [_row(task, attempt, *names) for task in range(6) for attempt, names in enumerate(missed)]
    assert "single_checks" not in analysed(write(tmp_path / "rows.jsonl", rows)).investigation
