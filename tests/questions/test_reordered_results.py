"""Right items that fail for their order, or because some of them are there more than once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.gym_rows import ABSENT, Json, analysed, message, request, response, row, write
from tests.questions.made_cases import causes, words

from blade.extract.comparisons import is_reordered, is_repeated
from blade.questions import reordered_results, repeated_results

RIGHT = "['ash', 'elm', 'oak']"


def shelved(task: int, attempt: int, got: str, shelf: str = "b", prompt: str = "Put the woods of") -> Json:
    passed = got == RIGHT
    checks = [
        {"name": "woods", "ok": passed, "trace": None if passed else f"AssertionError: {got} == {RIGHT}"},
        {"name": "done", "ok": True, "trace": None},
    ]
    return row(
        task,
        attempt,
        float(passed),
        responses_create_params=request(f"{prompt} list {task} onto the shelf."),
        response=response(message(f"List {task} is done, said {attempt}.")),
        expected_answer=ABSENT,
        extracted_answer=ABSENT,
        checks=checks,
        place={"shelf": shelf},
    )


def answer_of(tmp_path: Path, rows: list[Json], name: str) -> Any:
    return analysed(write(tmp_path / "woods.jsonl", rows)).investigation.get(name)


def test_items_in_another_order_are_told_with_the_score_without_that(tmp_path: Path) -> None:
    rows = [shelved(task, 0, "['oak', 'ash', 'elm']") for task in range(4)]
    rows += [shelved(task, attempt, RIGHT) for task in range(4) for attempt in (1, 2, 3)]
    answer = answer_of(tmp_path, rows, "reordered_results")
    assert words(reordered_results.tell(answer)) == (
        "4 judged failures of 4 tasks (woods 4; 0, 1, 2 and 3) have the items that the verifier wants and fail for "
        "their order; 4 of them fail nothing else. For instance ['oak', 'ash', 'elm'] against ['ash', 'elm', 'oak'] "
        "(woods, task 0, attempt 0). No prompt of these tasks has a word like “order” or “sort”. Counted as passes: "
        "woods 75.0% → 100.0% of judged rollouts."
    )
    (advice,) = reordered_results.advise(answer)
    assert advice.rollouts == 4
    assert causes(answer) == [("TI", "has all items that are wanted, in another order than the check compares", 4)]


def test_an_order_that_the_prompt_asks_for_is_no_fault(tmp_path: Path) -> None:
    rows = [shelved(task, 0, "['oak', 'ash', 'elm']", prompt="Sort the woods of") for task in range(4)]
    rows += [shelved(task, 1, RIGHT) for task in range(4)]
    answer = answer_of(tmp_path, rows, "reordered_results")
    assert "No prompt" not in words(reordered_results.tell(answer))
    assert list(reordered_results.advise(answer)) == []
    assert causes(answer) == [("TI", "has all items that are wanted, in another order than the check compares", 0)]


def test_other_items_are_no_other_order(tmp_path: Path) -> None:
    rows = [shelved(task, 0, "['oak', 'ash', 'fir']") for task in range(4)]
    rows += [shelved(task, 1, RIGHT) for task in range(4)]
    assert answer_of(tmp_path, rows, "reordered_results") is None


def test_items_left_over_from_earlier_attempts_are_told_with_what_these_share(tmp_path: Path) -> None:
    twice = "['ash', 'ash', 'elm', 'elm', 'oak', 'oak']"
    rows = [shelved(task, attempt, twice, "a") for task in range(2) for attempt in (1, 2)]
    rows += [shelved(task, 0, RIGHT) for task in range(6)]
    rows += [shelved(task, attempt, RIGHT) for task in range(2, 6) for attempt in (1, 2)]
    answer = answer_of(tmp_path, rows, "repeated_results")
    assert words(repeated_results.tell(answer)) == (
        "4 judged failures of woods in 2 tasks (0 and 1) hold every item that the verifier wants, and some of them "
        "more than once; never in the first attempt at a task. By attempt: attempt 0: 0, attempt 1: 2 and attempt 2: "
        "2. All of them have place.shelf a, as have 4 rollouts of the run. For instance ['ash', 'ash', 'elm', 'elm', "
        "'oak', 'oak'] against ['ash', 'elm', 'oak'] (task 0, attempt 1). Something may be left over from the "
        "attempts before: look whether each begins from the same state."
    )
    assert causes(answer) == [("IR", "has what is wanted several times over, as no first attempt does", 4)]


@pytest.mark.parametrize(
    ("left", "right", "reordered", "repeated"),
    [
        ("[1, 2, 3]", "[3, 1, 2]", True, False),
        ("[1, 2]", "[2, 1]", False, False),
        ("a, b, c", "c, b, a", True, False),
        ("[1, 1]", "[1]", False, True),
        ("[1, 1, 2]", "[1, 2, 2]", False, False),
        ("[1, 2]", "[1]", False, False),
        ("1", "1", False, False),
    ],
)
def test_the_two_sides_of_a_comparison(left: str, right: str, reordered: bool, repeated: bool) -> None:
    assert (is_reordered(left, right), is_repeated(left, right)) == (reordered, repeated)


def test_what_failing_checks_say_is_counted_by_its_template(tmp_path: Path) -> None:
    rows = [shelved(task, 0, f"['ash', '{wood}', 'oak']") for task, wood in enumerate(("fir", "yew", "box", "bay"))]
    rows += [shelved(task, attempt, RIGHT) for task in range(4) for attempt in (1, 2, 3)]
    (message_entry,) = answer_of(tmp_path, rows, "verifier_classes")["messages"]
    assert (message_entry["message"], message_entry["failures"], message_entry["passes"]) == (
        "AssertionError: <value> == <value>",
        4,
        0,
    )
