"""The count at the end of a story is of the attempts that show what its heading says, and its label says of what."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.gym_rows import ABSENT, Json, analysed, message, response, row, write
from tests.questions.made_cases import called, words

from blade.model import Analysis
from blade.sections import never_pass_deep_dives

LOOSE = "checking the lids\nE   AssertionError: lid 4 is loose\n===== 1 failed, 3 passed ====="
FIRM = "checking the lids\n===== 4 passed ====="
LATE = {"failure_mode": "agent_timeout"}


def attempt(number: int, own_test: str, log: str, **verifier: str) -> Json:
    items = called("bash", {"command": "cat > lids.py <<'EOF'\nprint(4)\nEOF"}, "")
    items += called("bash", {"command": "python -m pytest tests"}, own_test)
    told = response(*items, message("That is as good as it gets; I hand it in."))
    beside = {"expected_answer": None, "extracted_answer": ABSENT}
    return row(0, number, 0.0, response=told, verifier={"log": log, **verifier}, **beside)


def finished(folder: Path, *rows: Json) -> Analysis:
    fine = [row(task, number, 1.0, expected_answer=None) for task in range(1, 5) for number in range(2)]
    return analysed(write(folder / "run.jsonl", [*rows, *fine]))


@pytest.fixture(scope="module")
def handed_in(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    """All three fail the same assertion of the verifier; only the first hands in against its own test."""
    rows = (attempt(number, FIRM if number else LOOSE, LOOSE) for number in range(3))
    return finished(tmp_path_factory.mktemp("lids"), *rows)


def test_only_attempts_that_show_the_cause_of_the_heading_go_wrong_that_way(handed_in: Analysis) -> None:
    (story,) = handed_in.stories
    assert story["cause"] == "work handed in although its own last test fails"
    assert (story["agree"], story["failed"]) == (1, 3)
    assert "1 of 3 failing attempts goes wrong this way" in words(never_pass_deep_dives.build(handed_in))


def test_the_label_of_one_attempt_is_not_told_as_that_of_its_task(handed_in: Analysis) -> None:
    assert [label.labels for label in handed_in.labels] == [("IE",)]
    told = words(never_pass_deep_dives.build(handed_in))
    assert "Label of attempt 0: BI (hands in though its own last test fails" in told
    assert "; of the task, over all its attempts: IE." in told


def test_attempts_with_the_sign_count_though_another_stands_nearer_to_their_cause(tmp_path: Path) -> None:
    rows = [attempt(number, FIRM, LOOSE, **(LATE if number > 2 else {})) for number in range(5)]
    found = finished(tmp_path, *rows)
    (story,) = found.stories
    assert (story["mode"], story["agree"], story["failed"]) == ("partial_credit", 5, 5)
    assert "All 5 failing attempts go wrong this way" in words(never_pass_deep_dives.build(found))


def test_graded_rewards_without_a_threshold_are_not_told_as_no_task(tmp_path: Path) -> None:
    rewards = [1.0 if task % 3 == 0 else task % 7 / 10 for task in range(60)]
    rows = [row(task, 0, reward, expected_answer=None, extracted_answer=ABSENT) for task, reward in enumerate(rewards)]
    told = words(never_pass_deep_dives.build(analysed(write(tmp_path / "run.jsonl", rows))))
    assert "0 tasks are passed" not in told
    assert "No pass threshold is declared, so a full score counts as a pass here; " in told, told


def test_of_many_tasks_without_a_pass_it_is_said_how_many_are_described_and_why_these(tmp_path: Path) -> None:
    rows = [row(task, 0, 0.0 if task < 9 else 1.0) for task in range(18)]
    told = words(never_pass_deep_dives.build(analysed(write(tmp_path / "run.jsonl", rows))))
    assert "9 tasks are passed in no attempt; 6 are described here, chosen to show different failure modes." in told


def test_attempts_that_answer_otherwise_do_not_go_wrong_alike(tmp_path: Path) -> None:
    def wrong(number: int) -> Json:
        text = f"{900 + number}"
        return row(
            0, number, 0.0, response=response(message(text)), expected_answer="12", extracted_answer=text
        )  # fmt: skip

    fine = [row(task, number, 1.0) for task in range(1, 5) for number in range(2)]
    found = analysed(write(tmp_path / "run.jsonl", [*map(wrong, range(3)), *fine]))
    told = words(never_pass_deep_dives.build(found))
    assert "3 of 3 failing attempts give a wrong answer, 3 different ones." in told
    assert "majority vote" not in told
