"""Failures in which nobody plays the user are no judged attempts: each of several turns of the user is empty."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.gym_rows import Json, analysed, only_run, write
from tests.questions.made_cases import called, said, task_row, user, words

from blade.sections import attempt_audit

SPOKEN = 12


def _spoken() -> list[Json]:
    """Half of them pass; the model calls nothing in them, either."""
    asks, thanks = user("Which lamp is blue?"), user("Thank you.")
    return [
        task_row(task, said("Good day."), asks, said(f"Lamp {task} is."), thanks, passed=task % 2 == 0)
        for task in range(SPOKEN)
    ]


def _unheard(
    task: int, *texts: str, calls: bool = False, passed: bool = False, attempt: int = 0, **fields: Any
) -> Json:
    turns = [part for place, text in enumerate(texts) for part in (said(f"Good day, {place} {task}."), user(text))]
    look = called("look_up", {"lamp": task}, {"shade": "blue"}) if calls else []
    return task_row(task, *turns, look, passed=passed, _ng_rollout_index=attempt, **fields)


def _broken(folder: Path, rows: list[Json]) -> int:
    return int(only_run(write(folder / "rollouts.jsonl", [*_spoken(), *rows])).audit["broken"])


def test_rows_in_which_the_user_never_says_a_word_are_broken_off(tmp_path: Path) -> None:
    path = write(
        tmp_path / "desk" / "rollouts.jsonl", [*_spoken(), *(_unheard(20 + n, "", " \n", "") for n in range(4))]
    )
    analysis = analysed(path)
    (run,) = analysis.runs
    audit = run.audit
    assert (audit["rows"], audit["broken"], audit["not_started"], audit["not_judged"]) == (16, 4, 0, 0)
    (group,) = audit["groups"]
    assert [group[key] for key in ("stage", "rows", "tasks", "silent_users")] == ["broken", 4, 4, 4]
    assert (audit["failures"], audit["judged_failures"]) == (10, 6)
    assert audit["scores"]["judged"] == {"rows": 12, "points": 6.0, "mean": 0.5}
    assert run.statuses == {"ok": 12, "infrastructure": 4}
    told = words(attempt_audit.build(analysis))
    assert (
        "4 rollouts of desk (4 tasks) were broken off by infrastructure. The simulated user sends nothing but empty "
        "messages.\n"
    ) in told
    assert "the rows record the error" not in told, "they record none"
    assert "Of the 10 failures of desk, only 6 are judged failures of an agent that ran;" in told


def test_those_that_record_an_error_are_told_with_them(tmp_path: Path) -> None:
    lost: Json = {
        "verifier": {"error": "APIConnectionError: [Errno 54] Connection reset by peer", "test_results": None}
    }
    rows = [*_spoken(), *(_unheard(20 + n, "", "") for n in range(3))]
    rows += [_unheard(30 + n, "Which lamp is blue?", "Well?", **lost) for n in range(2)]
    path = write(tmp_path / "desk" / "rollouts.jsonl", rows)
    analysis = analysed(path)
    (group,) = analysis.runs[0].audit["groups"]
    assert (group["stage"], group["rows"], group["silent_users"]) == ("broken", 5, 3)
    told = words(attempt_audit.build(analysis))
    assert "5 rollouts of desk (5 tasks) were broken off by infrastructure. " in told
    assert "In 3 of them the simulated user sends nothing but empty messages." in told
    assert "Connection reset by peer" in told


def test_rows_broken_off_by_an_error_alone_say_nothing_of_users(tmp_path: Path) -> None:
    lost: Json = {
        "verifier": {"error": "APIConnectionError: [Errno 54] Connection reset by peer", "test_results": None}
    }
    rows = [*_spoken(), *(_unheard(30 + n, "Which lamp is blue?", "Well?", **lost) for n in range(3))]
    analysis = analysed(write(tmp_path / "desk" / "rollouts.jsonl", rows))
    assert analysis.runs[0].audit["groups"][0]["silent_users"] == 0
    told = words(attempt_audit.build(analysis))
    assert "(3 tasks) were broken off by infrastructure: the rows record the error." in told
    assert "simulated user" not in told


@pytest.mark.parametrize(
    "texts",
    [
        pytest.param(("",), id="one turn"),
        pytest.param(("", "Which lamp is blue?"), id="speaks in the end"),
        pytest.param(("Which lamp is blue?", "", ""), id="speaks once"),
        pytest.param((), id="no user at all"),
    ],
)
def test_a_user_who_speaks_once_or_has_a_single_turn_is_not_silent(tmp_path: Path, texts: tuple[str, ...]) -> None:
    assert _broken(tmp_path, [_unheard(20 + n, *texts) for n in range(4)]) == 0


def test_rows_that_call_a_tool_or_pass_are_attempts(tmp_path: Path) -> None:
    silent = [_unheard(20 + n, "", "") for n in range(3)]
    worked = [_unheard(30 + n, "", "", calls=True) for n in range(3)]
    heard = [_unheard(50 + n, "Which lamp is blue?", "", passed=True) for n in range(30)]
    passes = [_unheard(40 + n, "", "", passed=True) for n in range(3)]
    assert _broken(tmp_path / "all", silent + worked + passes + heard) == 3
    assert _broken(tmp_path / "without", worked + passes + heard) == 0


def test_a_user_who_is_silent_in_passes_as_well_is_silent_by_design(tmp_path: Path) -> None:
    silent = [_unheard(20 + n, "", "") for n in range(3)]
    assert _broken(tmp_path, silent + [_unheard(40 + n, "", "", passed=True) for n in range(3)]) == 0


def test_several_tasks_must_show_it(tmp_path: Path) -> None:
    two_tasks = [_unheard(20 + n % 2, "", "", attempt=n // 2) for n in range(8)]
    assert _broken(tmp_path / "two", two_tasks) == 0
    assert _broken(tmp_path / "three", [*two_tasks, _unheard(22, "", "")]) == 9
