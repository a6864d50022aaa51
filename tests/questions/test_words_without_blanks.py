"""Checks that count words by blanks, in scripts that have none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.gym_rows import ABSENT, Json, analysed, message, request, response, row, write
from tests.questions.made_cases import causes, words

from blade.questions import words_without_blanks

SENTENCE, PLAIN = "屋根の上に雨が静かに降り続いている。", "Rain falls on the roof and on the street. "
TASKS, UNSPACED = 12, 3


def poem(
    task: int, attempt: int, *, met: bool | None = None, counted: int | None = None, unspaced: int = UNSPACED
) -> Json:
    in_japanese = task < unspaced
    text = (SENTENCE if in_japanese else PLAIN) * (task + attempt + 2)
    words_counted = len([part for part in text.replace("。", " ").split() if part]) if counted is None else counted
    enough = (words_counted > 15 if task % 5 else attempt > 0) if met is None else met
    return row(
        task,
        attempt,
        float(enough),
        task_id=f"poem-{task:02}",
        responses_create_params=request(
            "雨についての詩を書いてください。" if in_japanese else f"Write of rain {task}."
        ),
        response=response(message(text)),
        checks=[{"name": "min_words", "passed": enough}, {"name": "language", "passed": True}],
        counted_words=words_counted,
        expected_answer=ABSENT,
        extracted_answer=ABSENT,
    )


def asked(path: Path, **fields: Any) -> Any:
    rows = [poem(task, attempt, **fields) for task in range(TASKS) for attempt in range(3)]
    return analysed(write(path / "poems.jsonl", rows)).investigation.get("words_without_blanks")


@pytest.fixture(scope="module")
def answer(tmp_path_factory: pytest.TempPathFactory) -> Any:
    rows = [
        poem(task, attempt, met=False if task < UNSPACED else None) for task in range(TASKS) for attempt in range(3)
    ]
    path = write(tmp_path_factory.mktemp("poems") / "poems.jsonl", rows)
    return analysed(path).investigation["words_without_blanks"]


def test_a_check_that_counts_by_blanks_is_told_with_its_field(answer: Any) -> None:
    assert words(words_without_blanks.tell(answer)) == (
        "“min_words” fails in all 9 rollouts of 3 tasks (poem-00, poem-01 and poem-02) whose answers are written in "
        "Chinese or Japanese (poems 9), in 9 of them as the only check that fails, and is met by 25 of 27 other "
        "rollouts (exact test p < 0.0001). The verifier counts words by blanks or runs of letters, and this script "
        "puts nothing between words: counted_words is 2 to 6 for answers of 34 to 102 letters. For example task "
        "poem-00, attempt 0 of poems."
    )
    (head,) = words_without_blanks.brief(answer)
    assert head.text.endswith("for answers of 34 to 102 letters.")
    (advice,) = words_without_blanks.advise(answer)
    assert (advice.kind, advice.rollouts, advice.before_scores) == ("verifier", 9, True)


def test_a_check_that_is_met_there_counts_otherwise(tmp_path: Path) -> None:
    assert asked(tmp_path, met=True) is None


def test_a_check_that_hardly_anybody_meets_is_hard_and_not_of_a_script(tmp_path: Path) -> None:
    assert asked(tmp_path, met=False) is None


def test_without_a_field_that_counts_words_nothing_is_claimed(tmp_path: Path) -> None:
    rows = [
        poem(task, attempt, met=False if task < UNSPACED else None, counted=400 + task)
        for task in range(TASKS)
        for attempt in range(3)
    ]
    path = write(tmp_path / "poems.jsonl", rows)
    assert "words_without_blanks" not in analysed(path).investigation


def test_scripts_with_blanks_are_not_asked_for(tmp_path: Path) -> None:
    assert asked(tmp_path, unspaced=0) is None


def test_one_task_is_too_few(tmp_path: Path) -> None:
    rows = [
        poem(task, attempt, met=task > 0, unspaced=1)
        for task in range(TASKS)
        for attempt in range(9 if not task else 3)
    ]
    assert "words_without_blanks" not in analysed(write(tmp_path / "poems.jsonl", rows)).investigation


def test_the_failures_get_their_label(answer: Any) -> None:
    assert causes(answer) == [("TI", "min_words counts words by blanks, and the answer has none", 9)]
