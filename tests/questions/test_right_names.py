"""A name that does not exist is told with the one that passes write in its place; nothing where none stands out."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.gym_rows import Json, analysed, write
from tests.questions.made_cases import said, task_row, words

from blade.questions import right_names

ERROR = "TypeError: bake() got an unexpected keyword argument 'until'; available names are: dough, stop, heat"
GOOD = "```python\nbake(dough={n}, stop={n})\n```"
BAD = "```python\nbake(dough={n}, until={n})\n```"


def _row(task: int, *, good: bool, passed: bool, code: str = GOOD) -> Json:
    message = (code if good else BAD).replace("{n}", str(task))
    return task_row(task % 20, said(message), passed=passed, verifier={"log": "" if good else ERROR})


def _rows(code: str = GOOD) -> list[Json]:
    """Eight tasks are tried twice: half of the answers write the wrong name, and fail."""
    rows = [_row(task, good=False, passed=False) for task in range(8)]
    rows += [_row(task, good=True, passed=task != 7, code=code) for task in range(8)]
    return rows + [_row(task, good=True, passed=True, code=code) for task in range(8, 16)]


def test_the_name_in_its_place_is_told_with_both_outcomes_and_advised(tmp_path: Path) -> None:
    answer = analysed(write(tmp_path / "one.jsonl", _rows())).investigation["right_names"]
    told = words(right_names.tell(answer))
    assert (
        "“until” does not exist, and 8 rollouts write it, 0 of which pass (0, 1, 2, 3, 4, 5, 6 and 7); at these tasks "
        "8 rollouts write “stop” in its place, and 7 of them pass (exact test p = " in told
    )
    assert "The error lists “stop” among the names that exist." in told
    (advice,) = right_names.advise(answer)
    assert advice.change == (
        "Say in the prompt, or in the documentation that it holds, that the name is “stop” and not “until”"
    )
    assert advice.because.text == "8 failures write the name that does not exist."


@pytest.mark.parametrize("code", ["```python\nbake(dough={n})\n```", "```python\nbake(stop={n}, heat={n})\n```"])
def test_nothing_is_said_where_no_name_or_several_stand_in_its_place(tmp_path: Path, code: str) -> None:
    assert "right_names" not in analysed(write(tmp_path / "one.jsonl", _rows(code))).investigation


def test_a_name_of_few_failures_is_not_asked_about(tmp_path: Path) -> None:
    rows = [_row(task, good=False, passed=False) for task in range(4)]
    rows += [_row(task, good=True, passed=True) for task in range(8)]
    assert "right_names" not in analysed(write(tmp_path / "one.jsonl", rows)).investigation
