"""Fields and values that failing checks share, read from checks that record what they wanted and what they got."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.gym_rows import ABSENT, Json, analysed, message, response, row, write
from tests.questions.made_cases import words

from blade.extract.attempt import Attempt
from blade.extract.missed_values import missed_values
from blade.questions import missed_values as question


def shelved(task: int, attempt: int, *checks: Json) -> Json:
    passed = all(check["ok"] for check in checks)
    return row(
        task,
        attempt,
        float(passed),
        response=response(message(f"Jar {task} is on the shelf, said {attempt}.")),
        expected_answer=ABSENT,
        extracted_answer=ABSENT,
        grade={"parts": list(checks)},
    )


def shelf(task: int, label: str | None, lid: str = "tin") -> Json:
    got = None if label is None else {"label": label, "lid": lid, "jar": task}
    return {
        "kind": "shelf",
        "want": {"label": "plum", "lid": "tin", "jar": task},
        "got": got,
        "ok": (label, lid) == ("plum", "tin"),
    }


def door(got: str) -> Json:
    return {"kind": "door", "want": "/done/*", "got": got, "ok": "/done" in got}


@pytest.fixture(scope="module")
def answer(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Six rollouts lose the label and stop before the end; two have another lid; five find nothing."""
    rows = [shelved(task, 0, shelf(task, ""), door(f"https://larder.test/check/{task}")) for task in range(6)]
    rows += [shelved(task, 0, shelf(task, "plum", "cork"), door("https://larder.test/done/1")) for task in (6, 7)]
    rows += [shelved(task, 0, shelf(task, None), door("https://larder.test/start")) for task in range(8, 13)]
    rows += [shelved(task, 1, shelf(task, "plum"), door("https://larder.test/done/7")) for task in range(13)]
    path = write(tmp_path_factory.mktemp("shelves") / "larder.jsonl", rows)
    return analysed(path).investigation["missed_values"]


def test_fields_values_and_what_found_nothing_are_told_with_their_tasks(answer: Any) -> None:
    assert words(question.tell(answer)) == (
        "Check “shelf” finds label alone wrong and all else that it compares right in 6 failures (larder: 0, 1, 2, 3, "
        "4 and 5): label is (empty) in 6; such as label (empty) for plum (task 0, attempt 0 of larder).\n"
        "Check “door” gets “/check/…” in 6 failures of 6 tasks (larder: 0, 1, 2, 3, 4 and 5); it wants “/done/*” in "
        "each.\n"
        "Check “door” gets “/start” in 5 failures of 5 tasks (larder: 8, 9, 10, 11 and 12); it wants “/done/*” in "
        "each.\n"
        "Check “shelf” finds nothing of what it wants in 5 failures (larder: 8, 9, 10, 11 and 12)."
    )


def test_a_field_that_few_failures_miss_is_not_told(answer: Any) -> None:
    assert ["lid"] not in [entry["fields"] for entry in answer["fields"]]


@pytest.mark.parametrize(
    "check",
    [
        {"kind": "shelf", "want": {"lid": "tin"}, "got": {"lid": "cork"}, "ok": True},
        {"kind": "shelf", "want": {"lid": "tin"}, "got": {"lid": "tin"}, "ok": False},
        {"kind": "shelf", "want": {"lid": "tin"}, "ok": False},
        {"kind": "shelf", "want": {"lid": "tin"}, "got": "cork", "ok": False},
    ],
)
def test_a_check_that_is_met_or_has_one_side_misses_nothing(check: Json) -> None:
    assert missed_values(Attempt(shelved(1, 0, check) | {"reward": 0.0})) == {}


def test_a_failure_whose_checks_say_the_same_counts_once(tmp_path: Path) -> None:
    rows = [shelved(task, 0, door("/start"), door("/start"), shelf(task, None)) for task in range(6)]
    rows += [shelved(task, 1, shelf(task, "plum"), door("/done/7")) for task in range(6)]
    answer = analysed(write(tmp_path / "larder.jsonl", rows)).investigation["missed_values"]
    assert [entry["failures"] for entry in (*answer["values"], *answer["nothing"])] == [6, 6]


def test_passes_miss_nothing() -> None:
    assert missed_values(Attempt(shelved(1, 0, door("/start")) | {"reward": 1.0})) == {}
