"""Right answers that were not read: what the runs would pass had they been read."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.gym_rows import Json, analysed, message, response, row, write
from tests.questions.made_cases import words

from blade.questions import unread_right_answers

TASKS = 12
PLAIN = "What is it?"
BOXED = "What is it? Put your final answer in \\boxed{}."


def run_of(path: Path, unread: int, right: int, prompt: str = PLAIN, boxed: int = 0) -> Path:
    """The first rollouts are right and unread, those after them right and read, the others wrong."""

    def rollout(task: int) -> Json:
        key = f"{1000 + task}"
        answer = key if task < unread + right else "7"
        said = f"\\boxed{{{answer}}}" if boxed and task < boxed else answer
        return row(
            task,
            0,
            float(unread <= task < unread + right),
            response=response(message(said)),
            responses_create_params={"input": [{"role": "user", "content": prompt}]},
            expected_answer=key,
            extracted_answer=None if task < unread else answer,
        )

    return write(path / "rollouts.jsonl", [rollout(task) for task in range(TASKS)])


def told(*paths: Path) -> str:
    answer = analysed(*paths).investigation.get("unread_right_answers")
    return words(unread_right_answers.tell(answer)) if answer else ""


def test_runs_are_held_together_as_read(tmp_path: Path) -> None:
    assert told(run_of(tmp_path / "a", 4, 2), run_of(tmp_path / "b", 0, 6)) == (
        "4 failures end with the expected answer, and the verifier read none: 4 tasks (0, 1, 2 and 3). Had they been "
        "read, the runs would pass: a 6 of 12 instead of 2; b 6 of 12 instead of 6. The best and the worst run would "
        "lie 0.0 pp apart, not 33.3 pp."
    )


def test_a_run_by_itself_has_no_distance(tmp_path: Path) -> None:
    assert told(run_of(tmp_path / "a", 4, 2)).endswith("the runs would pass: a 6 of 12 instead of 2.")


@pytest.mark.parametrize(("unread", "prompt"), [(2, PLAIN), (4, BOXED)])
def test_few_and_those_in_a_form_that_was_not_asked_for_are_left_aside(
    tmp_path: Path, unread: int, prompt: str
) -> None:
    assert told(run_of(tmp_path / "a", unread, 2, prompt)) == ""


def test_what_is_not_in_the_form_that_was_asked_for_is_counted_apart(tmp_path: Path) -> None:
    assert told(run_of(tmp_path / "a", 6, 2, BOXED, boxed=4)) == (
        "4 failures end with the expected answer, and the verifier read none: 4 tasks (0, 1, 2 and 3). Had they been "
        "read, the runs would pass: a 6 of 12 instead of 2. 2 more give it in another form than the prompt asks for; "
        "with these, too: a 8 of 12."
    )
