"""Passes by the number of expected changes: what is left out, where two runs part, which tasks are settled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.gym_rows import Json, analysed, write
from tests.questions.made_cases import called, said, task_row, words

from blade.questions import key_size


def _row(task: int, changes: int, *, passed: bool, made: bool = True, tool: str = "lend_book") -> Json:
    books = [{"book": f"book-{task}-{number}"} for number in range(changes)]
    calls = [called(tool, book, {"ok": True}) for book in books] if made else [called("get_book", {"book": "none"}, {})]
    key = {"verifier": {"expected_actions": [{"name": tool, "arguments": book} for book in books]}}
    return task_row(task, *calls, said("Done."), passed=passed, **key)


def _rows(one: int, two: int) -> list[Json]:
    """Ten tasks that expect one change and six that expect two, of which so many pass."""
    rows = [_row(task, 1, passed=task < one) for task in range(10)]
    return rows + [_row(task, 2, passed=task < 10 + two) for task in range(10, 16)]


def _answers(folder: Path, *runs: Sequence[Json]) -> Mapping[str, Any]:
    paths = [f"{name}={write(folder / f'{name}.jsonl', list(rows))}" for name, rows in zip("ab", runs, strict=False)]
    return analysed(*paths).investigation


def test_tasks_that_pass_without_the_expected_change_are_left_out(tmp_path: Path) -> None:
    idle = [_row(task, 2, passed=True, made=False) for task in (20, 21)]
    failing = [_row(task, 2, passed=False) for task in (20, 21)]
    answer = _answers(tmp_path, [*_rows(9, 3), *failing], [*_rows(3, 3), *idle])["key_size"]
    assert {group["changes"]: group["tasks"] for group in answer["groups"]} == {1: 10, 2: 6}
    told = words(key_size.tell(answer))
    assert "The net difference between a and b sits in the tasks that expect 1 change: 9 of 10 against 3 of 10" in told
    assert "; tasks 20 and 21 left out, where passes make no change" in key_size.tell(answer)[0].caption  # type: ignore[union-attr]


def test_such_tasks_say_nothing_by_tool_either(tmp_path: Path) -> None:
    runs = [
        [_row(task, 1, passed=task < most, tool="send_book") for task in range(30, 36)]
        + [_row(task, 1, passed=passes, made=passes is False) for task in range(40, 46)]
        + [_row(task, 1, passed=True) for task in range(46, 52)]
        for most, passes in ((36, False), (31, True))
    ]
    assert _answers(tmp_path, *runs)["expected_tools"]["pairs"][0]["without"] == [[6, 6], [6, 6]]


def test_a_small_group_that_parts_as_far_is_not_about_equal(tmp_path: Path) -> None:
    assert _answers(tmp_path, _rows(9, 3), _rows(3, 3))["key_size"]["parting"]
    assert not _answers(tmp_path, _rows(9, 5), _rows(3, 2))["key_size"]["parting"]


def _twice(changes: Sequence[int]) -> list[Json]:
    """Of tasks with so many expected changes and two attempts, 0 to 5 always pass and the others never do."""
    return [
        _row(task, many, passed=task < 6) | {"_ng_rollout_index": attempt}
        for task, many in enumerate(changes)
        for attempt in range(2)
    ]


def test_tasks_that_always_and_never_pass_are_held_against_what_they_expect(tmp_path: Path) -> None:
    parted = [0] * 6 + [1] * 6
    told = words(key_size.tell(_answers(tmp_path, _twice(parted))["key_size"]))
    assert (
        "Of the 6 tasks that a always passes 6 expect no change, of the 6 that it never passes none (exact test p = "
        "0.0022)." in told
    )
    assert not _answers(tmp_path, _twice([0, 1] * 6))["key_size"]["settled"]
    once = _twice(parted)[::2]
    assert not _answers(tmp_path, once)["key_size"]["settled"], "one attempt does not tell what always passes"
