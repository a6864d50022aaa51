"""What two runs answer at the tasks where they lie furthest apart."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import Json, analysed, response, row, write
from tests.questions.made_cases import words

from blade.questions import MOST_PAIRS, answers_apart


def _rows(model: str, answers: dict[int, list[str]]) -> list[Json]:
    return [
        row(
            task,
            attempt,
            float(answer == "10"),
            response=response(model=model),
            expected_answer="10",
            extracted_answer=answer,
        )
        for task, attempts in answers.items()
        for attempt, answer in enumerate(attempts)
    ]


def _told(tmp_path: Path, **runs: dict[int, list[str]]) -> str:
    paths = [f"{name}={write(tmp_path / f'{name}.jsonl', _rows(name, answers))}" for name, answers in runs.items()]
    investigation = analysed(*paths).investigation
    return words(answers_apart.tell(investigation["answers_apart"])) if "answers_apart" in investigation else ""


ALIKE = {task: ["10", "10", "9"] for task in range(5)}


def test_the_usual_answer_of_each_run_is_told_where_their_pass_rates_lie_far_apart(tmp_path: Path) -> None:
    text = _told(tmp_path, old=ALIKE | {7: ["10", "10", "10"]}, new=ALIKE | {7: ["12", "12", "10"]})
    assert text == (
        "Where they lie furthest apart old and new settle on different answers (old's come first): 7 '10', the key, in "
        "3 of 3 against '12' in 2 of 3."
    )


def test_answers_that_scatter_are_no_choice_of_a_run(tmp_path: Path) -> None:
    assert not _told(tmp_path, old=ALIKE | {7: ["10", "10", "10"]}, new=ALIKE | {7: ["12", "13", "14"]})


def test_a_few_failures_more_are_not_told(tmp_path: Path) -> None:
    assert not _told(tmp_path, old=ALIKE, new=ALIKE | {0: ["10", "9", "9"]})


def test_of_many_runs_only_the_closest_pairs_are_compared(tmp_path: Path) -> None:
    right = {task: ["10"] * 3 for task in range(12)}
    runs = {name: right | {task: ["12"] * 3 for task in range(lost)} for lost, name in enumerate("abcde")}
    text = _told(tmp_path, **runs)
    assert text.count("settle on different answers") == MOST_PAIRS
    assert "a and e settle" not in text
