"""Expected actions whose arguments list every value that is right."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.gym_rows import ABSENT, Json, analysed, message, response, row, write

from blade.extract.learned_fields import learn
from blade.extract.reference import ActionFields, chosen

KEY = [("book", {"room": ["twin", "Twin"], "nights": [3], "note": ["", "quiet"]})]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"room": "Twin", "nights": 3}, {"room": "Twin", "nights": 3}),
        ({"room": "twin", "nights": 3, "note": "quiet"}, {"room": "twin", "nights": 3, "note": "quiet"}),
        ({"room": "double", "nights": 4}, {"room": "twin", "nights": 3}),
        ({"room": "twin", "nights": 3, "note": "loud"}, {"room": "twin", "nights": 3, "note": "quiet"}),
    ],
)
def test_the_value_that_a_call_chose_stands_for_the_list(given: Json, expected: Json) -> None:
    assert chosen(KEY, [("look", {}), ("book", given)]) == [("book", expected)]


def test_without_a_call_the_first_values_stand() -> None:
    assert chosen(KEY, []) == [("book", {"room": "twin", "nights": 3})]


def test_each_call_serves_one_action() -> None:
    actions = [("book", {"room": ["a", "b"]}), ("book", {"room": ["b", "c"]})]
    assert chosen(actions, [("book", {"room": "c"}), ("book", {"room": "a"})]) == [
        ("book", {"room": "a"}),
        ("book", {"room": "c"}),
    ]


def booked(task: int, attempt: int, *, right: bool) -> Json:
    arguments = {"room": "Twin" if attempt else "twin", "nights": task + 1 if right else task + 5}
    call = {"type": "function_call", "call_id": "c", "name": "book", "arguments": json.dumps(arguments)}
    output = {"type": "function_call_output", "call_id": "c", "output": "{}"}
    wanted = [{"fn": "book", "args": {"room": ["twin", "Twin"], "nights": [task + 1]}}]
    return row(
        task,
        attempt,
        float(right),
        response=response(*([call, output] if right or task % 3 else []), message("Booked.")),
        expected_answer=ABSENT,
        extracted_answer=ABSENT,
        callcheck={"accepted": wanted},
    )


def test_lists_of_what_is_right_are_learned_and_compared_so(tmp_path: Path) -> None:
    rows = [booked(task, attempt, right=(task + attempt) % 2 == 0) for task in range(12) for attempt in range(2)]
    assert learn(rows).actions == ActionFields("callcheck.accepted", "fn", "args", choices=True)
    answer = analysed(write(tmp_path / "run.jsonl", rows)).investigation["first_differences"]
    assert [(group["expected"], group["rollouts"]) for group in answer["groups"]] == [("nights", 8), ("book", 4)]
