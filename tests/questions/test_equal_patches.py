"""One patch with two verdicts."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import ABSENT, Json, analysed, message, response, row, write
from tests.questions.made_cases import words

from blade.questions import equal_patches


def patched(task: int, attempt: int, line: str, *, passed: bool) -> Json:
    patch = (
        f"diff --git a/count{task}.py b/count{task}.py\n--- a/count{task}.py\n+++ b/count{task}.py\n"
        f"@@ -1,2 +1,2 @@\n def count(items):\n-    return 0\n+    return {line}\n"
    )
    plain = {"expected_answer": ABSENT, "extracted_answer": ABSENT}
    said = response(message(f"Mended {task}."))
    return row(task, attempt, float(passed), response=said, verdict={"patch": patch}, **plain)


def test_tasks_whose_equal_patches_are_judged_both_ways_are_told(tmp_path: Path) -> None:
    rows = [patched(0, attempt, "len(items)", passed=attempt < 3) for attempt in range(4)]
    rows += [patched(1, attempt, f"len(items) + {attempt}", passed=attempt == 0) for attempt in range(4)]
    rows += [patched(2, attempt, "len(items)", passed=True) for attempt in range(4)]
    answer = analysed(f"run={write(tmp_path / 'run.jsonl', rows)}").investigation["equal_patches"]
    assert words(equal_patches.tell(answer)) == (
        "Task 0: one patch, equal to the letter, passes in 3 attempts and fails in 1 (attempt 3 of run): the verdict "
        "does not depend on the patch alone."
    )
    (claim,) = equal_patches.brief(answer)
    assert claim.text == (
        "1 judged failure in 1 task hands in a patch that passes, equal to the letter, in other attempts: 0."
    )
    (advice,) = equal_patches.advise(answer)
    assert advice.because.text == "1 judged failure in 1 task hands in a patch that passes in other attempts."


def test_patches_that_differ_are_not_told(tmp_path: Path) -> None:
    rows = [patched(1, attempt, f"len(items) + {attempt}", passed=attempt == 0) for attempt in range(4)]
    assert "equal_patches" not in analysed(write(tmp_path / "run.jsonl", rows)).investigation
