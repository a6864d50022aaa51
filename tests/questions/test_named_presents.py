"""The year that the model takes for the present."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.gym_rows import Json, analysed, message, request, response, row, write
from tests.questions.made_cases import words

from blade.extract.attempt import Attempt
from blade.extract.named_present import named_present
from blade.questions import named_presents

MADE = 1_770_000_000.0
"""2026-02-02 in universal time."""
TASKS = 6


def rollout(task: int, attempt: int, words_of_model: str, *, passed: bool, prompt: str = "") -> Json:
    asked = request(f"How old is jar {task} today?")
    if prompt:
        asked["input"].insert(0, {"role": "system", "type": "message", "content": prompt})
    answer = response(message(words_of_model), message("So it is."), created_at=MADE + 60 * task)
    return row(task, attempt, float(passed), responses_create_params=asked, response=answer)


def run_of(path: Path, texts: tuple[str, ...], *, passing: tuple[bool, ...], prompt: str = "") -> str:
    rows = [
        rollout(task, attempt, text, passed=passed, prompt=prompt)
        for task in range(TASKS)
        for attempt, (text, passed) in enumerate(zip(texts, passing, strict=True))
    ]
    return f"{path.stem}={write(path, rows)}"


STALE, RIGHT = "Well, it is 2024 now, so I count from there.", "Today is 2 February 2026, so I count from there."


def told(*runs: str) -> str:
    answer = analysed(*runs).investigation.get("named_presents")
    return words(named_presents.tell(answer)) if answer else ""


def test_another_year_is_told_with_the_prompts_that_say_the_date(tmp_path: Path) -> None:
    text = told(
        run_of(
            tmp_path / "dated.jsonl",
            (RIGHT, RIGHT),
            passing=(True, True),
            prompt="Today's date: 2 February 2026. Be kind.",
        ),
        run_of(tmp_path / "plain.jsonl", (STALE, "I count."), passing=(False, False), prompt="Be kind and brief."),
    )
    assert text.startswith(
        "In 6 rollouts of 6 tasks (0, 1, 2, 3, 4 and 5) the model takes 2024 (6) for the present, though they were "
        "made in 2026: none of them passes, 12 of the 12 that take the right year, and 0 of the 6 others at these "
        "tasks, which name none (exact test within tasks: p = "
    ), text
    assert (
        "The prompt of dated says what day it is (“Today's date: 2 February 2026”), that of plain does not. By run, "
        "rollouts with another year, with the right one, and passes of the others: dated 0, 12 and 0 of 0; plain 6, 0 "
        "and 0 of 6. For instance the model says “it is 2024 now” (plain, task 0, attempt 0, item 0)."
    ) in text, text


def test_a_year_that_the_prompt_gives_is_the_tasks_own_present(tmp_path: Path) -> None:
    prompt = "You keep jars. The current time is 2024-05-15."
    assert told(run_of(tmp_path / "own.jsonl", (STALE, RIGHT), passing=(False, True), prompt=prompt)) == ""


def test_where_it_costs_nothing_nothing_is_told(tmp_path: Path) -> None:
    assert told(run_of(tmp_path / "plain.jsonl", (STALE, RIGHT, "I count."), passing=(True, True, True))) == ""


@pytest.mark.parametrize(
    ("text", "year"),
    [
        ("Taking the present as 2025, it is 38.", 2025),
        ("The current year is 2025.", 2025),
        ("We're now in 2023.", 2023),
        ("It is 1974.", None),
        ("It is 2024.", None),
        ("The present 2024–25 season is the ninth.", None),
        ("As of 2020 there were nine jars.", None),
    ],
)
def test_only_what_is_called_the_present_is_one(text: str, year: int | None) -> None:
    present = named_present(Attempt(row(1, response=response(message(text))))).get("present")
    assert (present and present[0]) == year
