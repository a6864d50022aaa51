"""Rollouts that read the id of their own task out of a tool's answer."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.gym_rows import Json, analysed, row, write
from tests.questions.made_cases import called, said, words

from blade.questions import named_tasks

TASKS = 12


def rollout(task: int, attempt: int, *, reads: bool, passed: bool, asked: str = "", task_id: str = "") -> Json:
    name = task_id or f"jar-{task:04}"
    output = called("run", {"code": "list the shelf"}, f"keys.txt: {name} 7; other lines" if reads else "jars and lids")
    return row(
        task,
        attempt,
        float(passed),
        task_id=name,
        response={"id": "r", "model": "m", "output": [*output, *said("So it is.")]},
        responses_create_params={"input": [{"role": "user", "content": f"Count the jars. {asked}"}]},
        expected_answer=None,
        extracted_answer=None,
    )


def told(path: Path) -> str:
    answer = analysed(path).investigation.get("named_tasks")
    return words(named_tasks.tell(answer)) if answer else ""


def rows_of(*, reading: int = 5, gain: bool = True, asked: bool = False, ids: str = "jar-{:04}") -> list[Json]:
    made = []
    for attempt in range(4):
        for task in range(TASKS):
            reads = attempt == 3 and task < reading
            passed = True if reads and gain else (task + attempt) % 2 == 0
            name = ids.format(task)
            made.append(rollout(task, attempt, reads=reads, passed=passed, asked=name if asked else "", task_id=name))
    return made


def test_the_few_that_read_it_are_told_with_the_scores_without_their_passes(tmp_path: Path) -> None:
    assert told(write(tmp_path / "jars.jsonl", rows_of())) == (
        "5 judged rollouts of 5 tasks (jars 5) read the id of their own task in a tool's answer, which no prompt gives "
        "them, and 5 of them pass; of the 15 other rollouts of these tasks 8 do (jar-0000, jar-0001, jar-0002, "
        "jar-0003 and jar-0004). For instance run shows “keys.txt: jar-0000 7; other lines” (jars, task jar-0000, "
        "attempt 3, item 1). If these passes are not earned, the runs pass jars 22 of 48 (45.8%)."
    )


def test_the_step_is_to_take_the_list_away(tmp_path: Path) -> None:
    answer = analysed(write(tmp_path / "jars.jsonl", rows_of())).investigation["named_tasks"]
    (advice,) = named_tasks.advise(answer)
    assert (advice.kind, advice.because.text) == ("environment", "5 of the 5 rollouts that read their task's id pass.")
    (head,) = named_tasks.brief(answer)
    assert head.text.startswith("5 judged rollouts of 5 tasks (jars 5) read the id of their own task")


@pytest.mark.parametrize(
    "changes",
    [{"gain": False}, {"asked": True}, {"ids": "{:05}"}, {"reading": 3}, {"reading": 12}],
    ids=["no gain", "the prompt names it", "a plain number", "too few", "a name in the environment"],
)
def test_a_name_that_the_environment_has_anyway_says_nothing(tmp_path: Path, changes: Json) -> None:
    assert told(write(tmp_path / "jars.jsonl", rows_of(**changes))) == ""
