"""Failures are grouped by where their work first differs from the key."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import Json, analysed, write
from tests.questions.made_cases import called, said, task_row, words

from blade.questions import first_differences


def _row(task: int, *made: tuple[str, Json], answer: str = '{"ok": true}', passed: bool = False) -> Json:
    wanted = {"book": f"b{task}", "card": "blue"}
    key = {"expected_actions": [{"name": "lend_book", "arguments": wanted}]}
    calls = [called(name, arguments, answer) for name, arguments in made]
    return task_row(task, *calls, said("Done."), passed=passed, verifier=key)


def test_failures_are_told_by_the_argument_the_tool_or_what_is_missing(tmp_path: Path) -> None:
    one = [_row(task, ("lend_book", {"book": f"b{task}", "card": "blue"}), passed=True) for task in range(4)]
    one += [_row(task, ("lend_book", {"book": f"b{task}", "card": "red"})) for task in (4, 5, 6)]
    one += [_row(task, ("sell_book", {"book": f"b{task}"})) for task in (7, 8)]
    one += [_row(9) | {"_ng_rollout_index": attempt} for attempt in (0, 1)] + [
        _row(11, ("lend_book", {"book": "b1", "card": "blue"}))
    ]
    answer = analysed(write(tmp_path / "one.jsonl", one)).investigation["first_differences"]
    assert (answer["failures"], answer["left_out"]) == (8, 1)
    told = words(first_differences.tell(answer))
    assert "Another value of “card” (lend_book) in 3 rollouts (4, 5 and 6)." in told
    assert "sell_book where lend_book was expected in 2 rollouts (7 and 8)." in told
    assert "An expected call of lend_book is missing in 2 rollouts (9)." in told
    assert (
        "Of 8 failures that differ from the key in what they change, the commonest first differences (not causes"
        in told
    )


def test_a_change_that_the_environment_refuses_is_no_difference(tmp_path: Path) -> None:
    rows = [
        _row(1, ("lend_book", {"book": "b1", "card": "blue"}), answer="Error: b1 is lost", passed=False)
        | {"_ng_rollout_index": attempt}
        for attempt in range(3)
    ]
    rows += [_row(task, ("lend_book", {"book": f"b{task}", "card": "blue"}), passed=True) for task in range(2, 6)]
    assert "first_differences" not in analysed(write(tmp_path / "one.jsonl", rows)).investigation


def test_failures_that_first_miss_what_the_environment_refuses_are_counted_apart(tmp_path: Path) -> None:
    rows = [_row(task) for task in (1, 2)]
    refused = _row(3, ("lend_book", {"book": "b3", "card": "blue"}), answer="Error: no such book")
    rows += [refused, _row(3, ("sell_book", {"book": "b3"})) | {"_ng_rollout_index": 1}]
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["first_differences"]
    assert (answer["failures"], answer["aside"]) == (2, 1)
    told = words(first_differences.tell(answer))
    assert "1 more differs first in a change that the environment refuses: it is not counted." in told


def test_a_change_outside_the_key_that_attempts_repeat_word_for_word_is_told_with_its_task(tmp_path: Path) -> None:
    also = ("sell_book", {"book": "b9"})
    rows = [
        _row(task, ("lend_book", {"book": f"b{task}", "card": "blue"}), *([also] if task == 2 and attempt else []),
             passed=task != 2) | {"_ng_rollout_index": attempt}
        for task in range(1, 4)
        for attempt in range(4)
    ]  # fmt: skip
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["first_differences"]
    told = words(first_differences.tell(answer))
    assert 'none passes: task 2 (sell_book {"book": "b9"} in 3 of 4). Either the key is wrong there, or ' in told, told
    rows[4]["reward"] = 1.0  # one attempt at it passes: the key can be met
    answer = analysed(write(tmp_path / "two.jsonl", rows)).investigation["first_differences"]
    assert answer["again"] == []
