"""Marks that one run never writes where the others do, and answers that end there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.gym_rows import ABSENT, Json, analysed, message, response, row, write
from tests.questions.made_cases import causes, words

from blade.questions import marks_never_written

TASKS, ATTEMPTS, MARKED = 16, 3, 6
VERSE = "Rain {} falls on the roofs of the town for hour {} without an end"


def poem(task: int, attempt: int, text: str, *, passed: bool) -> Json:
    return row(
        task,
        attempt,
        float(passed),
        task_id=f"poem-{task:02}",
        response=response(message(text)),
        expected_answer=ABSENT,
        extracted_answer=ABSENT,
    )


def run_of(path: Path, *, mark: str = "***", passes: bool = True, verses: int = 3, spare: int = 0) -> Path:
    """The first tasks ask for verses with a mark between them, of which a run without a mark writes one or more."""
    rows = []
    for task in range(TASKS):
        for attempt in range(ATTEMPTS):
            verse = VERSE.format(task, attempt) + path.stem
            is_marked = task < MARKED
            text = f"\n{mark}\n".join([verse] * (verses if is_marked else 2)) if mark or is_marked else verse
            passed = passes if is_marked else (task + attempt) % 4 > spare
            rows.append(poem(task, attempt, text if is_marked else verse, passed=passed))
    return write(path, rows)


def asked(*paths: Path) -> Any:
    return analysed(*paths).investigation.get("marks_never_written")


@pytest.fixture(scope="module")
def answer(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("poems")
    stopped = run_of(folder / "stopped.jsonl", mark="", passes=False, verses=1)
    return asked(stopped, run_of(folder / "first.jsonl"), run_of(folder / "second.jsonl"))


def test_answers_that_end_where_the_mark_would_stand_are_told(answer: Any) -> None:
    assert words(marks_never_written.tell(answer)) == (
        "stopped writes “***” in none of its 18 answers to 6 tasks (poem-00, poem-01, poem-02, poem-03, poem-04 and "
        "poem-05), nor in any other; 36 of 36 answers of the other runs hold it (exact test within tasks, corrected: "
        "p < 0.0001). There stopped passes 0 of 18 and the others 36 of 36, elsewhere 22 of 30 and 44 of 60. Its "
        "answers there have 15 words, those with the mark 47 (medians): they seem to end where the mark would stand, "
        "as if it were a stop string. For example task poem-00, attempt 0."
    )


def test_the_advice_is_to_look_for_a_stop_string(answer: Any) -> None:
    (advice,) = marks_never_written.advise(answer)
    assert (advice.kind, advice.rollouts) == ("harness", 18)
    assert advice.change == ("Look for “***” among the stop strings of stopped, and run these tasks again without it")
    (head,) = marks_never_written.brief(answer)
    assert head.text.endswith("as if it were a stop string.")


def test_answers_as_long_are_not_called_cut(tmp_path: Path) -> None:
    plain = run_of(tmp_path / "plain.jsonl", mark="", passes=False)
    answer = asked(plain, run_of(tmp_path / "first.jsonl"), run_of(tmp_path / "second.jsonl"))
    assert "Its answers there have 45 words, those with the mark 47 (medians). For" in words(
        marks_never_written.tell(answer)
    )
    assert not [*marks_never_written.brief(answer), *marks_never_written.advise(answer)]


def test_a_manner_that_passes_as_often_is_not_told(tmp_path: Path) -> None:
    plain = run_of(tmp_path / "plain.jsonl", mark="", verses=1)
    assert asked(plain, run_of(tmp_path / "first.jsonl"), run_of(tmp_path / "second.jsonl")) is None


def test_a_run_that_is_as_far_behind_elsewhere_is_not_told(tmp_path: Path) -> None:
    weak = run_of(tmp_path / "weak.jsonl", mark="", passes=False, verses=1, spare=4)
    assert asked(weak, run_of(tmp_path / "first.jsonl"), run_of(tmp_path / "second.jsonl")) is None


def test_one_run_alone_has_nothing_to_be_held_against(tmp_path: Path) -> None:
    assert asked(run_of(tmp_path / "first.jsonl")) is None


def test_a_mark_in_two_tasks_is_too_seldom(tmp_path: Path) -> None:
    rows = [
        poem(task, attempt, VERSE.format(task, attempt), passed=task > 1)
        for task in range(TASKS)
        for attempt in range(9)
    ]
    marked = [
        poem(task, attempt, VERSE.format(task, attempt) + ("\n***\nand so on" if task < 2 else " then"), passed=True)
        for task in range(TASKS)
        for attempt in range(9)
    ]
    assert asked(write(tmp_path / "stopped.jsonl", rows), write(tmp_path / "first.jsonl", marked)) is None


def test_the_failures_get_their_label(answer: Any) -> None:
    assert causes(answer) == [("BI", "writes no “***”, as its run never does and others do there", 18)]
