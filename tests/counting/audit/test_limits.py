"""Limits that no field names: a heap at the largest count, and a stop on a tool's answer after as many turns as any."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import Json, analysed, read, write
from tests.questions.made_cases import called, said, task_row

from blade.counting.audit.limits import Limit, reached_limits


def _worked(task: int, calls: int, *, ends: bool, passed: bool = False) -> Json:
    steps = [called("look", {"at": f"door {task} {n}"}, f"a door {n}") for n in range(calls)]
    return task_row(task, *steps, *([said(f"Done with {task}.")] if ends else []), passed=passed)


def _limits(path: Path, rows: list[Json]) -> list[Limit]:
    (run,) = read(write(path, rows))
    return [limit for limit, _ in reached_limits(run.facts, ())]


def test_a_stop_on_a_tools_answer_after_the_most_turns_is_a_limit(tmp_path: Path) -> None:
    rows = [_worked(task, 2 + task % 4, ends=True, passed=task % 2 == 0) for task in range(30)]
    rows += [_worked(task, 6, ends=False) for task in range(30, 36)]
    (limit,) = _limits(tmp_path / "one.jsonl", rows)
    assert (limit.count, limit.value, limit.rows, limit.passed) == ("acts", 6, 6, 0)
    health = [item for item in analysed(tmp_path / "one.jsonl").health if item["check"] == "unnamed_limits"]
    assert "6 rollouts of one stop at 6 turns of the model" in str(health[0])


def test_stops_on_answers_after_all_numbers_of_turns_are_none(tmp_path: Path) -> None:
    rows = [_worked(task, 2 + task % 4, ends=True, passed=task % 2 == 0) for task in range(30)]
    rows += [_worked(task, 3 + task % 4, ends=False) for task in range(30, 38)]
    assert _limits(tmp_path / "one.jsonl", rows) == []


def test_where_every_rollout_ends_on_an_answer_that_tells_of_no_limit(tmp_path: Path) -> None:
    rows = [_worked(task, 3 + task % 4, ends=False, passed=task % 2 == 0) for task in range(30)]
    assert _limits(tmp_path / "one.jsonl", rows) == []


def test_the_longest_attempts_that_pass_like_the_others_reach_no_limit(tmp_path: Path) -> None:
    rows = [_worked(task, 2 + task % 3, ends=True, passed=task % 2 == 0) for task in range(30)]
    longest = [_worked(task, 6, ends=True, passed=task % 2 == 0) for task in range(30, 42)]
    assert not _limits(tmp_path / "one.jsonl", rows + longest)
    failing = [_worked(task, 6, ends=True) for task in range(30, 42)]
    assert _limits(tmp_path / "two.jsonl", rows + failing)


def _told(task: int, length: int, *, same: bool = False) -> Json:
    words = f"Door {'' if same else task} is told of at length. "
    text = (words * (length // len(words) + 1))[:length]
    return task_row(task, said(text), passed=task % 2 == 0)


def test_final_messages_of_one_largest_length_were_cut_there(tmp_path: Path) -> None:
    rows = [_told(task, 300 + 37 * (task % 7)) for task in range(30)] + [_told(task, 700) for task in range(30, 36)]
    (limit,) = _limits(tmp_path / "one.jsonl", rows)
    assert (limit.count, limit.value, limit.rows) == ("final_chars", 700, 6)


def test_one_long_text_word_for_word_is_cut_by_nobody(tmp_path: Path) -> None:
    rows = [_told(task, 300 + 37 * (task % 7)) for task in range(30)]
    rows += [_told(task, 700, same=True) for task in range(30, 36)]
    assert _limits(tmp_path / "one.jsonl", rows) == []
