"""What the rows of one run record and those of another do not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.gym_rows import ABSENT, Json, analysed, message, request, response, row, write
from tests.questions.made_cases import words

from blade.questions import uneven_records


def rows(**fields: Any) -> list[Json]:
    return [row(task, 0, float(task % 2), **fields) for task in range(8)]


def test_what_one_run_records_and_the_other_does_not_is_named(tmp_path: Path) -> None:
    first = rows(agent_seconds=9, grade={"by": "two people", "sure": 1})
    bare = response(message("It is so."), usage=None)
    second = rows(agent_seconds=9, response=bare, grade=None, extracted_answer=ABSENT)
    paths = [f"{name}={write(tmp_path / f'{name}.jsonl', made)}" for name, made in (("one", first), ("two", second))]
    answer = analysed(*paths).investigation["uneven_records"]
    assert [entry["what"] for entry in answer["uneven"]] == [
        "token counts",
        "extracted_answer",
        "grade.by",
        "grade.sure",
    ]
    assert (
        "The rows of one record token counts and the fields extracted_answer, grade.by and grade.sure; those of "
        "two do not: what needs it can be stated for the former only." in words(uneven_records.tell(answer))
    )


def test_what_one_run_alone_sets_is_no_record_that_the_other_lacks(tmp_path: Path) -> None:
    """An agent with settings of its own records as much as the other."""
    first = rows(agent_seconds=9, run_config={"agent_kwargs": {"max_turns": 30}}, options={"thinking": "off"})
    second = rows(agent_seconds=9, run_config={"agent_kwargs": {"timeout": 60}})
    paths = [f"{name}={write(tmp_path / f'{name}.jsonl', made)}" for name, made in (("one", first), ("two", second))]
    assert "uneven_records" not in analysed(*paths).investigation


def test_what_no_row_records_is_said_with_what_cannot_be_told(tmp_path: Path) -> None:
    bare = response(message("It is so."), usage=None)
    asked = request("What is it?")
    del asked["temperature"]
    answer = analysed(write(tmp_path / "run.jsonl", rows(response=bare, responses_create_params=asked))).investigation
    assert answer["uneven_records"]["nowhere"] == ["token counts", "times of rollouts", "sampling settings"]
    assert (
        "No row records token counts, times of rollouts or sampling settings, so it is unknown how much the model "
        "wrote and which outputs were cut, whether a time limit ended rollouts or how answers were sampled."
        in words(uneven_records.tell(answer["uneven_records"]))
    )


def test_a_latency_among_the_metadata_is_a_time(tmp_path: Path) -> None:
    timed = rows(response=response(message("It is so."), usage=None), metadata={"latency_s": 4.5})
    answer = analysed(write(tmp_path / "run.jsonl", timed)).investigation["uneven_records"]
    assert "times of rollouts" not in answer["nowhere"]
    assert "token counts" in answer["nowhere"]


def test_runs_that_record_everything_alike_are_not_told(tmp_path: Path) -> None:
    paths = [write(tmp_path / f"{name}.jsonl", rows(agent_seconds=9)) for name in ("one", "two")]
    assert "uneven_records" not in analysed(*paths).investigation


def test_one_time_for_all_rollouts_is_no_measured_one(tmp_path: Path) -> None:
    alike = [row(task, 0, float(task % 2), agent_seconds=60.0) for task in range(20)]
    answer = analysed(f"one={write(tmp_path / 'run.jsonl', alike)}").investigation["uneven_records"]
    assert answer["one_time"] == {"one": [60.0, 20]}
    assert "Each of the 20 rollouts of one is said to take 60 s: nobody measured that" in words(
        uneven_records.tell(answer)
    )
    alike[3]["agent_seconds"] = 60.5
    other = analysed(write(tmp_path / "other.jsonl", alike)).investigation.get("uneven_records", {})
    assert not other.get("one_time")
