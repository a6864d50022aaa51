"""Machines, model ids and missing records that no configuration names."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import Json, analysed, message, response, row, write
from tests.questions.made_cases import called, words

from blade.questions import machines_and_models

TASKS = 10


def rollout(task: int, attempt: int, machine: str = "", model: str = "", *, silent: bool = False) -> Json:
    items = [] if silent else [*called("run", {"n": task}, f"Linux {machine} {model}"), message("Done.")]
    folder = "results/deep/er" if silent else "results"
    return row(
        task,
        attempt,
        float(task % 2),
        response=response(*items, model="sonata-4"),
        metadata={"source_path": f"{folder}/run/{task}"},
    )


def test_machines_that_differ_between_runs(tmp_path: Path) -> None:
    one = write(tmp_path / "one.jsonl", [rollout(task, 0, "x86_64") for task in range(TASKS)])
    other = write(tmp_path / "other.jsonl", [rollout(task, 0, "aarch64" if task else "") for task in range(TASKS)])
    answer = analysed(one, other).investigation["machines_and_models"]
    assert [(entry["machines"], entry["visible"]) for entry in answer["machines"]] == [
        ({"x86_64": 10}, 10),
        ({"arm64": 9}, 9),
    ]
    assert words(machines_and_models.tell(answer)) == (
        "The runs used different machines, which no configuration records: one x86_64 in 10 of the 10 rows whose "
        "texts name a processor; other arm64 in 9 of the 9 rows whose texts name a processor."
    )


def test_a_processor_that_the_task_names_is_no_machine(tmp_path: Path) -> None:
    asked = {"input": [{"role": "user", "content": "Build it for aarch64.", "type": "message"}]}
    one = write(tmp_path / "one.jsonl", [rollout(task, 0, "x86_64") for task in range(TASKS)])
    rows = [rollout(task, 0) | {"responses_create_params": asked} for task in range(TASKS)]
    assert "machines_and_models" not in analysed(one, write(tmp_path / "other.jsonl", rows)).investigation


def test_another_model_id_in_one_attempt(tmp_path: Path) -> None:
    ids = ("sonata-4-0514", "sonata-4-latest-2", "sonata-4-latest-2")
    rows = [rollout(task, attempt, model=ids[attempt]) for task in range(TASKS) for attempt in range(3)]
    answer = analysed(write(tmp_path / "run.jsonl", rows)).investigation["machines_and_models"]
    (model,) = answer["models"]
    assert model["ids"] == {"sonata-4-0514": [0], "sonata-4-latest-2": [1, 2]}
    assert "the texts of its rows name sonata-4-0514 in attempt 0 and sonata-4-latest-2 in attempts 1 and 2." in words(
        machines_and_models.tell(answer)
    )


def test_rows_of_one_attempt_without_a_transcript(tmp_path: Path) -> None:
    rows = [rollout(task, attempt, silent=attempt == 1 and task > 0) for task in range(TASKS) for attempt in range(2)]
    answer = analysed(write(tmp_path / "run.jsonl", rows)).investigation["machines_and_models"]
    (record,) = answer["records"]
    assert [record[key] for key in ("attempt", "rows", "of", "passes", "path")] == [1, 9, 10, 5, "metadata.source_path"]
    assert (
        "9 of the 10 rows of attempt 1 have no log or transcript, unlike other attempts; they lie in a nested "
        "folder (by metadata.source_path); 5 of them pass."
    ) in words(machines_and_models.tell(answer))


def test_a_folder_named_after_the_run_is_no_model_id(tmp_path: Path) -> None:
    rows = [
        rollout(task, attempt) | {"metadata": {"source_path": f"runs/all_sonata-4_plain_{40 + attempt}/{task}.json"}}
        for task in range(TASKS)
        for attempt in range(3)
    ]
    assert "machines_and_models" not in analysed(write(tmp_path / "run.jsonl", rows)).investigation


def test_attempts_that_lack_their_record_here_and_there_are_not_told_apart(tmp_path: Path) -> None:
    rows = [
        rollout(task, attempt, silent=(attempt == 1 and task > 0) or (attempt == 2 and task < 2))
        for task in range(TASKS)
        for attempt in range(4)
    ]
    answer = analysed(write(tmp_path / "run.jsonl", rows)).investigation.get("machines_and_models", {"records": []})
    assert answer["records"] == [], "attempt 2 lacks two of ten, so attempt 1 is not unlike all others"
