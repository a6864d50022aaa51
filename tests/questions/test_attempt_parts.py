"""One attempt of a run that lies apart from its others in a part of the tasks."""

from __future__ import annotations

import random
from pathlib import Path

from tests.gym_rows import analysed, response, row, write
from tests.questions.made_cases import words

from blade.questions import attempt_parts

TASKS, ATTEMPTS = 60, 4


def _told(tmp_path: Path, passes: dict[tuple[int, int], bool]) -> str:
    rows = [
        row(
            task,
            attempt,
            float(passed),
            response=response(model="a"),
            expected_answer=None,
            extracted_answer=None,
            metadata={"house": "barn" if task % 2 else "mill"},
        )
        for (task, attempt), passed in passes.items()
    ]
    investigation = analysed(f"run={write(tmp_path / 'run.jsonl', rows)}").investigation
    return words(attempt_parts.tell(investigation["attempt_parts"])) if "attempt_parts" in investigation else ""


def _drawn(seed: int) -> dict[tuple[int, int], bool]:
    chance = random.Random(seed)
    return {(task, attempt): chance.random() < 0.5 for task in range(TASKS) for attempt in range(ATTEMPTS)}


def test_an_attempt_that_fails_in_one_part_alone_is_told(tmp_path: Path) -> None:
    broken = {(task, attempt): False for task in range(1, TASKS, 2) for attempt in (2,) if task > 5}
    text = _told(tmp_path, _drawn(3) | broken)
    assert text.startswith("Attempt 2 of run passes "), text
    assert " where metadata.house is barn, its other attempts " in text
    assert text.count("Attempt ") == 1, text


def test_an_attempt_that_is_better_there_is_told_too(tmp_path: Path) -> None:
    lucky = {(task, 0): True for task in range(0, TASKS, 2)}
    assert "Attempt 0 of run passes 30 of 30 where metadata.house is mill" in _told(tmp_path, _drawn(4) | lucky)


def test_an_attempt_that_fails_everywhere_is_no_matter_of_a_part(tmp_path: Path) -> None:
    assert not _told(tmp_path, _drawn(5) | {(task, 1): False for task in range(TASKS)})


def test_chance_sets_no_attempt_apart(tmp_path: Path) -> None:
    claims = 0
    for seed in range(12):
        folder = tmp_path / str(seed)
        folder.mkdir()
        claims += bool(_told(folder, _drawn(100 + seed)))
    assert claims <= 1
