"""The attempts of a run side by side: what they pass, what was lost in them, how many ran at once."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import Json, analysed, row, write
from tests.questions.made_cases import words

from blade.questions import attempts_apart

TASKS = 12


def _row(task: int, attempt: int, passed: bool | None, minute: int) -> Json:
    """Every rollout takes ten minutes from its start on."""
    results = None if passed is None else {"lamp_lit": passed, "oil_left": True}
    return row(
        task,
        attempt,
        None if passed is None else float(passed),
        expected_answer=None,
        verifier={"test_results": results},
        timing={
            "watch_started_at": f"2026-05-06T{7 + minute // 60:02d}:{minute % 60:02d}:00+00:00",
            "watch_ended_at": f"2026-05-06T{7 + (minute + 10) // 60:02d}:{(minute + 10) % 60:02d}:00+00:00",
        },
    )


def test_attempts_are_told_by_what_they_pass_and_how_many_ran_at_once(tmp_path: Path) -> None:
    rows = [_row(task, 0, task < 7, 10 * task) for task in range(TASKS)]
    rows += [_row(task, 1, task < 6 if task < 10 else None, 2 * task) for task in range(TASKS)]
    text = words(attempts_apart.tell(analysed(write(tmp_path / "one.jsonl", rows)).investigation["attempts_apart"]))
    assert "Judged rollouts that pass in attempts 0 to 1 of one: 7 of 12 and 6 of 10; " in text, text
    assert "; of its 12 tasks, every judged attempt passes in 6, some in 1 and none in 5." in text
    assert (
        "They ran under different load: 5 rollouts at once in attempt 1 (failures out of time 0, without a verdict 2), "
        "1 in attempt 0 (0 and 0)." in text
    )


def test_a_single_attempt_says_nothing(tmp_path: Path) -> None:
    rows = [_row(task, 0, task < 7, 10 * task) for task in range(TASKS)]
    assert "attempts_apart" not in analysed(write(tmp_path / "one.jsonl", rows)).investigation


def test_graded_rewards_count_full_scores_and_rewards_without_a_top_nothing(tmp_path: Path) -> None:
    graded = [
        row(task, attempt, (1.0, 0.4, 1.0, 0.0)[(task + attempt) % 4]) for task in range(12) for attempt in (0, 1)
    ]
    text = words(attempts_apart.tell(analysed(write(tmp_path / "one.jsonl", graded)).investigation["attempts_apart"]))
    assert "Judged rollouts that pass in attempts 0 to 1 of one: 6 of 12 and 6 of 12; of its 12 tasks, every " in text
    smooth = [row(task, attempt, (task + attempt) / 40) for task in range(12) for attempt in (0, 1)]
    assert "attempts_apart" not in analysed(write(tmp_path / "two.jsonl", smooth)).investigation
