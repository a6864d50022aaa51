"""What tasks ask for is quoted from where their prompts begin to differ."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import Json, analysed, request, row, write

LEAD = "Read the whole sheet before you begin.\nWrite every step down, and mark the last line with a star.\n" * 3
QUESTIONS = ("How many tiles are left?", "Who keeps the key of the shed?", "When does the ferry leave?")


def rows(lead: str) -> list[Json]:
    return [
        row(task, attempt, 0.0, responses_create_params=request(f"{lead}Problem: {question}"))
        for task, question in enumerate(QUESTIONS)
        for attempt in range(2)
    ]


def test_a_preface_that_all_tasks_share_is_not_quoted(tmp_path: Path) -> None:
    path = write(tmp_path / "run.jsonl", rows(LEAD))
    stories = analysed(path).stories
    assert [story["asked"] for story in stories] == list(QUESTIONS[: len(stories)])
    proof = next(item for item in stories[0]["evidence"] if item["role"] == "asked")
    assert proof["quote"] == QUESTIONS[0]


def test_prompts_that_differ_at_once_are_quoted_from_their_beginning(tmp_path: Path) -> None:
    stories = analysed(write(tmp_path / "run.jsonl", rows(""))).stories
    assert stories[0]["asked"] == f"Problem: {QUESTIONS[0]}"
