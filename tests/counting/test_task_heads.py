"""The first words of tasks whose prompts all begin alike."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import Json, analysed, request, row, write

LEAD = "Read the whole sheet before you begin. Write every step down, and mark the last line with a star. " * 3
QUESTIONS = ("How many tiles are left?", "Who keeps the key of the shed?", "When does the ferry leave?")


def rows(lead: str) -> list[Json]:
    return [
        row(task, responses_create_params=request(f"{lead}Problem: {question}"))
        for task, question in enumerate(QUESTIONS)
    ]


def test_words_that_all_prompts_begin_with_are_left_out(tmp_path: Path) -> None:
    tasks = analysed(write(tmp_path / "run.jsonl", rows(LEAD))).tasks
    assert [task.text for task in tasks] == [f"… {question}" for question in QUESTIONS]


def test_prompts_that_differ_at_once_are_shown_from_their_beginning(tmp_path: Path) -> None:
    tasks = analysed(write(tmp_path / "run.jsonl", rows(""))).tasks
    assert [task.text for task in tasks] == [f"Problem: {question}" for question in QUESTIONS]


def test_one_prompt_for_all_tasks_stays_as_it_is(tmp_path: Path) -> None:
    same = [row(task, responses_create_params=request(LEAD), which=task) for task in range(3)]
    tasks = analysed(write(tmp_path / "run.jsonl", same)).tasks
    assert all(task.text.startswith("Read the whole sheet") for task in tasks)
