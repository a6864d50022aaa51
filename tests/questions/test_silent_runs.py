"""A run in which nobody speaks: its transcripts are there, and hold nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.gym_rows import Json, analysed, message, response, row, write
from tests.questions.made_cases import words

from blade.questions import silent_runs


def rows(text: str, rewards: list[float], **fields: Any) -> list[Json]:
    answer = response(message(text))
    return [
        row(task, reward=reward, response=answer, extracted_answer=None, expected_answer=None, **fields)
        for task, reward in enumerate(rewards)
    ]


def test_a_run_of_empty_messages_that_passes_nothing_is_in_doubt(tmp_path: Path) -> None:
    speaking = write(tmp_path / "speaking.jsonl", rows("I closed the lid.", [1.0, 0.0, 1.0, 0.0]))
    silent = write(tmp_path / "silent.jsonl", rows("", [0.0] * 4))
    answer = analysed(speaking, silent).investigation["silent_runs"]
    assert (
        "All 4 rollouts of silent hold a transcript in which the model says and calls nothing, and none passes, while "
        "other runs pass 2 of its tasks: nothing shows that its agent worked" in words(silent_runs.tell(answer))
    )
    assert len(list(silent_runs.brief(answer))) == 1


def test_a_pass_shows_that_the_words_are_only_not_recorded(tmp_path: Path) -> None:
    silent = write(tmp_path / "silent.jsonl", rows("", [0.0, 0.0, 1.0, 0.0]))
    assert "silent_runs" not in analysed(silent).investigation


def test_rows_without_a_transcript_are_not_told_of(tmp_path: Path) -> None:
    bare = [made | {"response": response()} for made in rows("", [0.0] * 4)]
    assert "silent_runs" not in analysed(write(tmp_path / "bare.jsonl", bare)).investigation
