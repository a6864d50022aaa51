"""Turns that ran out by the rules of a task are no cut of the harness."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.gym_rows import Json, analysed, response, row, write
from tests.questions.made_cases import called

from blade.counting.task_limits import TaskLimit, task_limits

GAME = [(9, False), (11, False), (7, False), (6, True), (7, True), (8, True), (10, True)]
"""Turns of the model, and whether the row says that turns ran out: each game has its own number of wrong guesses."""


def found(rows: list[tuple[int, bool]], words: str = "turns_exhausted") -> dict[str, TaskLimit]:
    return task_limits(([("end", words)] if out else [] for _, out in rows), [turns for turns, _ in rows])


def test_rows_that_stop_at_different_turns_below_others_are_stopped_by_the_task() -> None:
    assert found(GAME) == {"end": TaskLimit("end", 4, 6, 10, 11)}


@pytest.mark.parametrize(
    "rows",
    [
        [(turns, out) if not out else (30, True) for turns, out in GAME],
        [(turns if not out else turns + 30, out) for turns, out in GAME],
        [*GAME[:3], (30, True), (30, True), (30, True), (31, True), (29, True), (31, False)],
        GAME[3:],
        GAME[:5],
        [],
    ],
)
def test_a_heap_at_one_number_or_the_longest_of_all_are_stopped_by_the_harness(rows: list[tuple[int, bool]]) -> None:
    assert found(rows) == {}


def test_a_budget_that_is_no_count_of_turns_is_left_alone() -> None:
    assert found(GAME, "exit_cost") == {}


def guesses(task: int, turns: int, *, out: bool) -> Json:
    items = [item for turn in range(turns) for item in called("guess", {"letter": f"{turn}"}, f"{task} {turn}")]
    end = {"termination_reason": "turns_exhausted" if out else "solved"}
    return row(task, reward=float(not out), response=response(*items), verifier=end)


def test_a_lost_game_is_told_as_a_failure_and_not_as_a_cut(tmp_path: Path) -> None:
    rows = [guesses(task, turns, out=out) for task, (turns, out) in enumerate(GAME)]
    analysis = analysed(write(tmp_path / "rollouts.jsonl", rows))
    assert analysis.runs[0].statuses == {"ok": len(GAME)}
    assert "turn_limit" not in {mode.id for mode in analysis.modes}
    (flaw,) = [flaw for flaw in analysis.flaws if flaw.slug == "limit-of-the-task"]
    assert flaw.statement == (
        "'verifier.termination_reason' says of 4 rows that they ran out of turns after 6 to 10 turns of the model, and "
        "others took up to 11: it is a limit that the task sets, such as the end of a game, and the harness cut none "
        "of them"
    )


def test_a_limit_of_the_harness_stays_a_cut(tmp_path: Path) -> None:
    rows = [guesses(task, 12 if out else turns, out=out) for task, (turns, out) in enumerate(GAME)]
    analysis = analysed(write(tmp_path / "rollouts.jsonl", rows))
    assert analysis.runs[0].statuses == {"ok": 3, "truncated": 4}
    assert "turn_limit" in {mode.id for mode in analysis.modes}
