"""Pairs of runs whose every number is planted: what was put in is what the report must say.

The first four have 20 tasks with 4 attempts. The usual run passes tasks 0 to 7 always, tasks 8 to 13 in two attempts of
four and tasks 14 to 19 never: 44 of 80, a score of 55 %.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.gym_rows import Json, given, message, request, response, row, write

TASKS, ATTEMPTS = 20, 4
USUAL = (4,) * 8 + (2,) * 6 + (0,) * 6
"""Passes per task: 44 of 80."""
BEGUN = 1_700_000_000
NO_SANDBOX = "sandbox unavailable: connection refused by host"
Scenario = Callable[[Path], tuple[Path, Path]]


def attempt(task: int, number: int, passed: bool, **fields: Any) -> Json:
    """One rollout with a time of its own, a category, and words that no other has."""
    right, said = str(2 * task), 2 * task if passed else 17
    made = row(
        task,
        number,
        float(passed),
        response=response(
            message(f"After some thought number {number}, {task} and {task} make {said}."),
            created_at=BEGUN + 60 * (number * TASKS + task),
        ),
        category="even" if task % 2 == 0 else "odd",
        expected_answer=right,
        extracted_answer=right if passed else "17",
    )
    return made | fields


def attempts(passes: Sequence[int] = USUAL) -> list[Json]:
    """Rows in order of time: all tasks once, then all again; the passes of a task fall on no attempt in particular."""
    return [
        attempt(task, number, (number + task) % ATTEMPTS < passes[task])
        for number in range(ATTEMPTS)
        for task in range(TASKS)
    ]


def inputs(path: Path) -> None:
    """What was to be run, as the collector writes it beside the rows."""
    rows = [given(task, number) for task in range(TASKS) for number in range(ATTEMPTS)]
    write(path.with_name(f"{path.stem}_materialized_inputs.jsonl"), rows)


def pair(folder: Path, base: Sequence[Json], candidate: Sequence[Json]) -> tuple[Path, Path]:
    paths = (folder / "before" / "before.jsonl", folder / "after" / "after.jsonl")
    for path, rows in zip(paths, (base, candidate), strict=True):
        write(path, rows)
        inputs(path)
    return paths


def clean(folder: Path) -> tuple[Path, Path]:
    """Nothing is wrong. Tasks 0 to 3 are lost and tasks 14 to 17 won: the score stays, the tasks do not."""
    moved = [*(0,) * 4, *USUAL[4:14], *(4,) * 4, *USUAL[18:]]
    return pair(folder, attempts(), attempts(moved))


def outage(folder: Path) -> tuple[Path, Path]:
    """The 24 rows from the 31st to the 54th of the second run find no sandbox; 12 of them would have passed."""
    rows = attempts()
    for place in range(30, 54):
        rows[place] |= {
            "reward": 0.0,
            "extracted_answer": None,
            "error": NO_SANDBOX,
            "response": rows[place]["response"]
            | {"output": [], "error": {"code": "server_error", "message": NO_SANDBOX}},
        }
    return pair(folder, attempts(), rows)


def foreign_and_copies(folder: Path) -> tuple[Path, Path]:
    """The second run holds 12 rows of another model (tasks 17 to 19, all passed), and 10 of its rows twice."""
    rows = attempts()
    for made in rows:
        if made["_ng_task_index"] >= 17:
            made |= {"reward": 1.0, "extracted_answer": made["expected_answer"]}
            made["response"] = made["response"] | {"model": "another-model"}
    return pair(folder, attempts(), rows + rows[:10])


def changed_verifier(folder: Path) -> tuple[Path, Path]:
    """The same outputs in both runs; the second verifier passes the eight attempts at tasks 18 and 19 too."""
    rows = attempts()
    for made in rows:
        if made["_ng_task_index"] >= 18:
            made["reward"] = 1.0
    return pair(folder, attempts(), rows)


def other_tasks(folder: Path) -> tuple[Path, Path]:
    """The same ten names and numbers of tasks over other texts; the expected answers agree on six of ten."""
    runs = []
    for words, apart in (("What is", 0), ("How much is", 4)):
        runs.append(
            [
                attempt(
                    task,
                    number,
                    passed=True,
                    task_id=f"question-{task}",
                    responses_create_params=request(f"{words} {task} and {task}?"),
                    expected_answer=str(2 * task + (1 if task < apart else 0)),
                )
                for number in range(2)
                for task in range(10)
            ]
        )
    paths = (folder / "before.jsonl", folder / "after.jsonl")
    return write(paths[0], runs[0]), write(paths[1], runs[1])


SCENARIOS: dict[str, Scenario] = {
    scenario.__name__: scenario for scenario in (clean, outage, foreign_and_copies, changed_verifier, other_tasks)
}
