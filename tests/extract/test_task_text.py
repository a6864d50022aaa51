"""What a task asks for is a sentence, and no path that a field calls a scenario."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import analysed, message, response, row, write

from blade.extract.task_text import instruction, task_text


def test_the_path_of_a_file_of_scenarios_is_no_instruction() -> None:
    asks = {"responses_create_params": {"input": [{"role": "user", "content": "Please book two seats."}]}}
    path = asks | {"metadata": {"scenario_file": "scenarios/long-model-name/scenarios_0.jsonl"}}
    assert (instruction(path), task_text(path)) == ("", "Please book two seats.")
    sentence = path | {"metadata": {"scenario": "You want two seats for the play."}}
    assert task_text(sentence) == "You want two seats for the play."


def test_tasks_out_of_one_file_are_not_repeated_tasks(tmp_path: Path) -> None:
    shared = {"scenario_file": "scenarios/long-model-name/scenarios_0.jsonl"}
    rows = [row(task, response=response(message(f"Seat {task}.")), metadata=shared) for task in range(6)]
    items = analysed(write(tmp_path / "a.jsonl", rows)).health
    assert "repeated_tasks" not in {item["check"] for item in items}
