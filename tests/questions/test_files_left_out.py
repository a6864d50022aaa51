"""Files that an agent wrote, that its patch lacks, and that the verifier misses."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.gym_rows import Json, analysed, write
from tests.questions.made_cases import called, said, task_row, words

from blade.extract.attempt import Attempt
from blade.extract.left_out_files import edits
from blade.questions import files_left_out

KEPT = "diff --git a/src/pond.py b/src/pond.py\n--- a/src/pond.py\n+++ b/src/pond.py\n@@ -1,1 +1,2 @@\n x = 1\n+y = 2\n"
MISSED = "ImportError while loading: No module named 'pond_core'"


def rollout(task: int, path: str, log: str, *, passed: bool, patch: str = KEPT) -> Json:
    content = f"def depth_{task}(pond):\n    return {task}\n"
    parts = [*called("create_file", {"path": path, "content": content}, "written")]
    return task_row(task, parts, said("Done."), passed=passed, submitted_diff=patch, grading={"log": log})


def told(path: Path, rows: list[Json]) -> str:
    answer = analysed(write(path / "one.jsonl", rows)).investigation.get("files_left_out")
    return words(files_left_out.tell(answer)) if answer else ""


def others(first: int) -> list[Json]:
    return [rollout(task, "src/pond.py", "3 passed", passed=task % 2 == 0) for task in range(first, 20)]


def test_rollouts_whose_new_file_is_not_handed_in_are_told(tmp_path: Path) -> None:
    rows = [rollout(task, "src/pond_core.py", MISSED, passed=False) for task in range(4)]
    assert told(tmp_path, [*rows, *others(4)]) == (
        "In 4 judged rollouts the agent wrote a new file that its patch lacks, and the verifier misses it (one 4; e.g. "
        f"src/pond_core.py in task 0, attempt 0 of one: “{MISSED}”): none passes. What is handed in leaves out files "
        "that are new: the work of these rollouts was not judged. Tasks: one 0, 1, 2 and 3. Without them one passes 8 "
        "of 16 (50.0%)."
    )


def test_a_scratch_file_that_nobody_misses_is_not_told(tmp_path: Path) -> None:
    log = "?? repro.py\nAssertionError: 3 != 4"
    rows = [rollout(task, "repro.py", log, passed=False) for task in range(4)]
    assert told(tmp_path, [*rows, *others(4)]) == ""


def test_where_others_pass_without_it_the_file_is_not_what_is_missing(tmp_path: Path) -> None:
    rows = [rollout(task, "src/pond_core.py", MISSED, passed=task < 2) for task in range(6)]
    assert told(tmp_path, [*rows, *others(6)]) == ""


@pytest.mark.parametrize(
    ("line", "is_missed"),
    [
        ("Cannot find module './pond-core' from 'src/pond.ts'", True),
        ("src/pond.go:3: undefined: DepthOf", True),
        ("  symbol:   variable DepthOf", True),
        ("pond-core: 3 tests failed", False),
        ("Cannot find module './lake' from 'src/pond.ts'", False),
    ],
)
def test_a_verifier_misses_a_file_or_what_it_defines_by_name(line: str, *, is_missed: bool) -> None:
    parts = called("create_file", {"path": "src/pond-core.ts", "content": "function DepthOf(pond) {}"}, "written")
    attempt = Attempt(task_row(0, parts, said("Done."), passed=False, submitted_diff=KEPT, grading={"log": line}))
    record = edits(attempt, [KEPT])
    assert record["edits"] == [1, 0, 0]
    assert record.get("missed_file") == (["src/pond-core.ts", " ".join(line.split())] if is_missed else None)


def test_it_comes_with_a_step_and_a_health_item(tmp_path: Path) -> None:
    rows = [rollout(task, "src/pond_core.py", MISSED, passed=False) for task in range(4)]
    answer = analysed(write(tmp_path / "one.jsonl", [*rows, *others(4)])).investigation["files_left_out"]
    (advice,) = files_left_out.advise(answer)
    assert (advice.kind, advice.because.text) == (
        "harness",
        "The patches of 4 rollouts lack a file that the agent wrote.",
    )
    (item,) = files_left_out.health(answer)
    assert (item["check"], item["tasks"]) == ("void_attempts", ["0", "1", "2", "3"])
    assert next(files_left_out.brief(answer)).text.startswith("In 4 judged rollouts the agent wrote a new file")
