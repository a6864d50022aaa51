"""Prompts that are longer by a fixed number of tokens, which no recorded text shows."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import Json, analysed, message, response, row, write
from tests.questions.made_cases import words

from blade.questions import prompt_lengths


def _rows(added: int, *, turns: int = 1, varies: int = 0) -> list[Json]:
    def made(task: int) -> Json:
        usage = {"input_tokens": 50 + task % 9 + added + (task % 3) * varies, "output_tokens": 5, "total_tokens": 60}
        calls = [
            {"type": "function_call", "call_id": f"c{turn}", "name": "look", "arguments": "{}"}
            for turn in range(turns - 1)
        ]
        outputs = [{"type": "function_call_output", "call_id": call["call_id"], "output": "a door"} for call in calls]
        told = response(*[item for pair in zip(calls, outputs, strict=True) for item in pair], message("Left."))
        return row(task, reward=float(task % 2), response={**told, "usage": usage})

    return [made(task) for task in range(24)]


def _told(folder: Path, first: list[Json], second: list[Json]) -> str:
    paths = [f"{name}={write(folder / f'{name}.jsonl', rows)}" for name, rows in (("old", first), ("new", second))]
    answer = analysed(*paths).investigation.get("prompt_lengths")
    return words(prompt_lengths.tell(answer)) if answer else ""


def test_a_fixed_number_of_tokens_is_told(tmp_path: Path) -> None:
    told = "The prompts of new are 3 input tokens longer than those of old in 24 of 24 common tasks: something constant"
    assert told in _told(tmp_path, _rows(0), _rows(3))
    assert "The prompts of old are 1 input token longer than those of new" in _told(tmp_path, _rows(1), _rows(0))


def test_equal_prompts_and_such_that_vary_are_not_told(tmp_path: Path) -> None:
    assert not _told(tmp_path, _rows(0), _rows(0))
    assert not _told(tmp_path, _rows(0), _rows(3, varies=2))


def test_tokens_of_several_turns_are_no_length_of_a_prompt(tmp_path: Path) -> None:
    assert not _told(tmp_path, _rows(0, turns=3), _rows(3, turns=3))


def test_tasks_that_are_left_out_are_counted_with_the_reason(tmp_path: Path) -> None:
    first, second = _rows(0), _rows(3)
    second[0]["response"]["output"] = []
    second[1]["response"]["usage"] = None
    told = _told(tmp_path, first, second)
    assert "3 input tokens longer than those of old in 22 of 22 tasks whose prompts both runs count: something" in told
    assert told.endswith(
        "2 of the 24 tasks judged in both are left out: 1 without an output and 1 without counted input tokens."
    )


def test_a_comparison_that_leaves_most_tasks_out_is_not_told(tmp_path: Path) -> None:
    first, second = ([*_rows(added), *_more(added)] for added in (0, 3))
    for made in second[20:]:
        made["response"]["usage"] = None
    assert not _told(tmp_path, first, second)


def _more(added: int) -> list[Json]:
    return [{**made, "_ng_task_index": made["_ng_task_index"] + 24} for made in _rows(added)]
