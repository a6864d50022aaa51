"""Simulated users who ask for something else than their instruction says."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.gym_rows import Json, analysed, write
from tests.questions.made_cases import called, said, task_row, user, words

from blade.extract.attempt import Attempt
from blade.extract.straying_users import straying_user
from blade.questions import straying_users

BRIEF = "You are Ann. Your number is M-1001. You want a visit on 2026-04-21, in the morning."


def rollout(says: str, date: str, *, task: int = 0, attempt: int = 0, passed: bool = False) -> Json:
    key = {"expected_actions": [{"name": "book_visit", "arguments": {"member": "M-1001", "date": "2026-04-21"}}]}
    booked = called("book_visit", {"member": "M-1001", "date": date}, {"ok": True})
    return task_row(
        task,
        said("When shall it be?"),
        user(says),
        booked,
        said("Booked."),
        passed=passed,
        verifier=key,
        episode={"customer_brief": BRIEF},
        _ng_rollout_index=attempt,
    )


@pytest.mark.parametrize(
    ("says", "strays"),
    [
        ("April 27 would be best.", True),
        ("On the 27th of April, please.", True),
        ("2026-04-27 is fine.", True),
        ("April 21 would be best.", False),
        ("April 21, or else April 27.", False),
        ("Any day will do.", False),
    ],
)
def test_the_user_must_say_the_value_that_is_not_in_its_instruction(says: str, *, strays: bool) -> None:
    assert bool(straying_user(Attempt(rollout(says, "2026-04-27")))) is strays


def test_such_tasks_are_told_with_what_the_user_says(tmp_path: Path) -> None:
    rows = [rollout("April 27 would be best.", "2026-04-27", attempt=attempt) for attempt in range(3)]
    rows += [rollout("April 21 would be best.", "2026-04-21", attempt=3, passed=True)]
    rows += [rollout("April 21 would be best.", "2026-04-21", task=1, passed=True)]
    answer = analysed(f"run={write(tmp_path / 'run.jsonl', rows)}").investigation["straying_users"]
    assert words(straying_users.tell(answer)) == (
        "Task 0: in 3 failures of run the simulated user asks for “2026-04-27” (date; it says “April 27 would be "
        "best.”), while its instruction and the key say “2026-04-21”, and the model does what it is asked for; 1 of 1 "
        "other rollout of the task passes."
    )
    (advice,) = straying_users.advise(answer)
    assert advice.before_scores
    assert advice.because.text == ("In 3 failures (0) the model does what the user asks for against its instruction.")


def test_one_such_rollout_alone_is_not_told(tmp_path: Path) -> None:
    rows = [rollout("April 27 would be best.", "2026-04-27")]
    rows += [rollout("April 21 would be best.", "2026-04-21", attempt=1, passed=True)]
    assert "straying_users" not in analysed(write(tmp_path / "run.jsonl", rows)).investigation
