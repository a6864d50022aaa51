"""Fields that do not hold what their names say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.gym_rows import Json, analysed, message, response, row, write
from tests.questions.made_cases import called, words

from blade.questions import misleading_fields


def _row(task: int, **fields: Any) -> Json:
    calls = [item for number in range(task % 6) for item in called("look", {"at": number}, "a door")]
    used = {"input_tokens": 90 + task, "output_tokens": 30 + task, "total_tokens": 120 + 2 * task}
    told = response(*calls, message("Done " * (1 + task)), usage=used)
    return row(task, reward=float(task % 2), response=told, expected_answer=None, extracted_answer=None, **fields)


def _told(folder: Path, rows: list[Json]) -> str:
    answer = analysed(write(folder / "one.jsonl", rows)).investigation.get("misleading_fields")
    return words(misleading_fields.tell(answer)) if answer else ""


def test_a_counter_that_never_moves_is_named_with_what_the_transcripts_show(tmp_path: Path) -> None:
    rows = [_row(task, num_tool_calls=0, metrics={"num_turns": 5 if task > 4 else task}) for task in range(30)]
    told = _told(tmp_path, rows)
    assert (
        "“num_tool_calls” is 0 in all 30 rows of one, where the transcripts show 1 to 5 calls: it does not count; "
        "do not rely on it." in told
    )
    assert "“metrics.num_turns” is 5 in 25 of 30 rows of one, where the transcripts show" in told
    assert "it stops at its largest value" in told


def test_a_copy_and_a_flag_that_is_always_the_same_are_named(tmp_path: Path) -> None:
    rows = [_row(task, success=True, agent_seconds=1.5 * task, verifier_seconds=1.5 * task) for task in range(30)]
    told = _told(tmp_path, rows)
    assert "“agent_seconds” and “verifier_seconds” have the same number in all 30 rows of one: one is a" in told
    assert "“success” is true in all 30 rows of one, though some pass and some fail: it is not a verdict." in told


def test_honest_counters_settings_and_small_runs_are_left_alone(tmp_path: Path) -> None:
    rows = [_row(task, num_tool_calls=task % 6, max_turns=30, agent_seconds=1.5 * task) for task in range(30)]
    assert not _told(tmp_path, rows)
    assert not _told(tmp_path, [_row(task, num_tool_calls=0) for task in range(9)])


def test_the_tokens_of_equal_prompts_are_not_held_against_outputs(tmp_path: Path) -> None:
    rows = [_row(task) for task in range(30)]
    for one in rows:
        one["response"]["usage"]["input_tokens"] = 40
    assert "input_tokens" not in _told(tmp_path, rows)
    for one in rows:
        one["response"]["usage"]["output_tokens"] = 40
    assert "“response.usage.output_tokens” is 40 in all 30 rows of one" in _told(tmp_path, rows)


def test_a_time_that_is_the_same_on_every_row_is_a_placeholder(tmp_path: Path) -> None:
    told = _told(tmp_path, [_row(task, agent_run_time=1.0) for task in range(30)])
    assert "“agent_run_time” is 1 in all 30 rows of one: a placeholder and no time; it is not used." in told
    assert "placeholder" not in _told(tmp_path, [_row(task, agent_run_time=1.0 + task % 2) for task in range(30)])
