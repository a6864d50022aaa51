"""Values that most rollouts hand in and that fail, where no row names the key."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.gym_rows import ABSENT, Json, analysed, response, row, write
from tests.questions.made_cases import called, case, said, words

from blade.diagnosis.submissions import last_words, submissions
from blade.questions import shared_submissions


def counted(task: int, attempt: int, value: str, *, passed: bool, who: str, wrapped: bool = False, **more: Any) -> Json:
    code = f"shop.close(total={value})"
    items = [
        *called("run", {"code": "shop.jars()"}, "jars"),
        *called("run", {"code": f"print({code})" if wrapped else code}, "ok"),
    ]
    return row(
        task,
        attempt,
        float(passed),
        response=response(*items, *said(f"Done, as {who} says of {task} in {attempt}.")),
        **{"expected_answer": ABSENT, "extracted_answer": ABSENT, **more},
    )


def shop(path: Path, doubtful: str, right: str = "80", **more: Any) -> Path:
    """Seven tasks with three attempts; in the first two most rollouts hand in a value that fails."""
    rows = []
    for task in range(7):
        for attempt in range(3):
            is_doubtful = task == 0 and attempt < 2
            value = doubtful if is_doubtful else right if task == 0 else str(task * 10)
            rows.append(
                counted(task, attempt, value, passed=not is_doubtful, who=path.stem, wrapped=attempt == 1, **more)
            )
    return write(path, rows)


def asked(*paths: Path) -> Any:
    return analysed(*paths).investigation.get("shared_submissions")


def test_a_value_of_most_rollouts_of_two_runs_is_told_beside_that_of_the_passes(tmp_path: Path) -> None:
    answer = asked(shop(tmp_path / "oak.jsonl", "64.5"), shop(tmp_path / "elm.jsonl", "64.5"))
    assert words(shared_submissions.tell(answer)) == (
        "No row names the key of these tasks. Where rollouts that know nothing of each other hand in one value, the "
        "key may be wrong, or all of them fall for the same.\n"
        "4 of 6 rollouts of task 0 hand in 64.5 (oak 2 and elm 2), and all of them fail; 2 rollouts pass, with 80."
    )
    (advice,) = shared_submissions.advise(answer)
    assert (advice.kind, advice.rollouts, advice.before_scores) == ("verifier", 4, True)
    assert "".join(map(str, advice.because.text.split("\n"))).startswith("In 0 most rollouts of several runs")


def test_one_run_alone_or_two_values_prove_nothing(tmp_path: Path) -> None:
    assert asked(shop(tmp_path / "oak.jsonl", "64.5")) is None
    assert asked(shop(tmp_path / "oak.jsonl", "64.5"), shop(tmp_path / "elm.jsonl", "17")) is None


def test_where_a_key_is_known_others_speak_of_it(tmp_path: Path) -> None:
    paths = [shop(tmp_path / f"{name}.jsonl", "64.5", expected_answer="80") for name in ("oak", "elm")]
    assert asked(*paths) is None


@pytest.mark.parametrize(
    ("arguments", "value"),
    [
        ('{"answer": "64.5"}', "64.5"),
        ('{"code": "shop.close(total=1,200)"}', "1200"),
        ('{"code": "shop.close(3, 4)"}', None),
        ('{"text": "no number"}', None),
    ],
)
def test_a_submission_is_the_one_number_of_a_call_that_ends_many_tasks(arguments: str, value: str | None) -> None:
    cases = [case(task, passed=False, observed={"closing": ["submit", arguments, "ok"]}) for task in range(5)]
    values = submissions(cases)
    assert set(values.values()) == ({value} if value else set())
    assert submissions(cases[:4]) == {}
    assert last_words(cases[0]) != ""
