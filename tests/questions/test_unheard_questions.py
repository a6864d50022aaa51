"""Questions to the user that stand beside a call, so that the tool answers and the user does not."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.gym_rows import Json, analysed, write
from tests.questions.made_cases import called, said, task_row, user, words

from blade.extract.attempt import Attempt
from blade.extract.unheard_questions import unheard_questions
from blade.questions import unheard_questions as question

ASKS = "First I must find you. What is your email?"


def rollout(text: str, *, task: int = 0, passed: bool = True, beside: bool = True, spoken: bool = True) -> Json:
    """The model asks beside a look-up that fails, or gives its user a turn in between."""
    lookup = called("find_user", {"email": "a@b.example"}, "Error: user not found")
    turn = user("It is ann@mail.example.") if spoken else []
    parts = [said(text), lookup, turn] if beside else [said(text), turn, lookup]
    return task_row(task, *parts, said("Done."), passed=passed)


@pytest.mark.parametrize(
    ("row", "record"),
    [
        (rollout(ASKS), [1, 1, 0, "What is your email?", "find_user", 1]),
        (rollout(ASKS, beside=False), None),
        (rollout(ASKS, spoken=False), None),  # nobody is there to be asked
        (rollout("Let me look that up."), None),
        (rollout("What else is missing?"), None),  # asks itself
        (rollout("Thought: what is your email?"), None),
        (
            rollout("I will send it to your sister. Is that correct?"),
            [1, 1, 0, "Is that correct?", "find_user", 1],
        ),
        (rollout("The order holds a lamp. Is that correct?"), None),  # speaks to nobody
        (rollout("I look for your order. Which tool shows orders?"), None),
    ],
)
def test_a_question_is_unheard_where_the_tool_answers_next(row: Json, record: list[object] | None) -> None:
    assert unheard_questions(Attempt(row)).get("unheard_questions") == record


def test_a_habit_of_a_run_is_told_with_the_other_runs(tmp_path: Path) -> None:
    asking = [rollout(ASKS, task=task, passed=task < 2) for task in range(6)]
    silent = [rollout(ASKS, task=task, beside=False) for task in range(6, 16)]
    paths = [
        f"asks={write(tmp_path / 'asks.jsonl', asking + silent)}",
        f"waits={write(tmp_path / 'waits.jsonl', [rollout(ASKS, task=task, beside=False) for task in range(16)])}",
    ]
    answer = analysed(*paths).investigation["unheard_questions"]
    told = " ".join(words(question.tell(answer)).split())
    assert told == (
        "asks asks its user something in the same turn as a call in 6 of 16 judged rollouts (0, 1, 2, 3, 4 and 5): the "
        "tool answers next and the user has no turn, so that these 6 questions get no answer. For instance “What is "
        "your email?” beside a call of find_user (task 2, attempt 0, item 0). 6 of the calls beside them fail. 2 of "
        "these rollouts pass, of the others 10 of 10. Rollouts of the other runs with such a question: waits 0 of 16."
    )
    (advice,) = question.advise(answer)
    assert advice.because.text == "4 failures ask their user something beside a call, and the tool answers: asks 4."


def test_a_few_such_questions_are_no_habit(tmp_path: Path) -> None:
    rows = [rollout(ASKS, task=task, beside=task < 4) for task in range(20)]
    assert "unheard_questions" not in analysed(write(tmp_path / "run.jsonl", rows)).investigation
