"""Rows of which a word of the verdict says that nothing judged them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.gym_rows import ABSENT, Json, only_run, row, write


def judged(task: int, verdict: str, reward: float) -> Json:
    return row(task, reward=reward, marking={"verdict": verdict}, expected_answer=ABSENT, extracted_answer=ABSENT)


def audit(folder: Path, word: str, *, passes_have_it: bool = False) -> int:
    rows = [judged(task, "accepted", 1.0) for task in range(8)]
    rows += [judged(task, "wrong", 0.0) for task in range(8, 14)]
    rows += [judged(task, word, 0.0) for task in range(14, 18)]
    rows += [judged(18, word, 1.0)] if passes_have_it else []
    return int(only_run(write(folder / "rollouts.jsonl", rows)).audit["not_judged"])


@pytest.mark.parametrize("word", ["not_run", "not graded", "grader_error", "Sandbox crashed", "no-verdict", "unjudged"])
def test_they_got_no_verdict(tmp_path: Path, word: str) -> None:
    assert audit(tmp_path, word) == 4


@pytest.mark.parametrize("word", ["wrong_answer", "runtime_error", "not_found", "compile error", "no_program"])
def test_other_words_are_verdicts(tmp_path: Path, word: str) -> None:
    assert audit(tmp_path, word) == 0


def test_a_word_that_passes_have_says_nothing(tmp_path: Path) -> None:
    assert audit(tmp_path, "not_run", passes_have_it=True) == 0
