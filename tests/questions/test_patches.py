"""What was handed in: patches are opened, and code counts as checked only where something was run."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.gym_rows import Json, analysed, message, response, row, write
from tests.questions.made_cases import called, said, task_row, words

from blade.extract.artefacts import BROKEN, CONFLICT, SYNTAX, artefacts, opened
from blade.extract.attempt import Attempt
from blade.extract.stages import CHECKED, stages
from blade.questions import patches


def _patch(path: str, *added: str, new: bool = False) -> str:
    body = "".join(f"+{line}\n" for line in added)
    if new:
        return f"diff --git a/{path} b/{path}\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1,{len(added)} @@\n{body}"
    return f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -1,1 +1,{len(added) + 1} @@\n x = 1\n{body}"


def _row(task: int, patch: str | None, *, passed: bool) -> Json:
    own: Json = {"patch": _patch(f"src/part_{task}.py", "y = 2"), "test_patch": _patch("tests/test_it.py", "assert y")}
    return row(task, reward=float(passed), extracted_answer=None, expected_answer=None, model_patch=patch, **own)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (_patch("a.py", "y = 2"), ""),
        (_patch("a.py", "y = 2", "z = 3").replace("+1,3", "+1,9"), BROKEN),
        (_patch("a.py", "<<<<<<< HEAD", ">>>>>>> main"), CONFLICT),
        (_patch("a.py", "def f(:", new=True), SYNTAX),
        (_patch("a.py", "def f():", "    return 1", new=True), ""),
        (_patch("a.py", "y = 2") + "\n", ""),
    ],
)
def test_a_patch_that_is_broken_as_text_is_known(text: str, problem: str) -> None:
    found = opened(text)
    assert found.problem == problem
    assert found.code == frozenset({"a.py"})


def test_patches_are_told_by_what_they_touch_with_both_outcomes(tmp_path: Path) -> None:
    rows = [_row(task, _patch(f"src/part_{task}.py", "y = 3"), passed=task < 8) for task in range(10)]
    rows += [_row(task, "", passed=False) for task in range(10, 13)]
    rows += [_row(task, _patch("tests/test_new.py", "assert True"), passed=False) for task in range(13, 17)]
    rows += [_row(17, _patch("src/other.py", "y = 3"), passed=False), _row(18, _patch("NOTES.md", "so"), passed=False)]
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["patches"]
    assert answer["field"] == "model_patch"
    assert {one["kind"]: (one["failures"], one["passes"]) for one in answer["findings"]} == {
        "tests": (4, 0),
        "empty": (3, 0),
        "elsewhere": (1, 0),
        "no_code": (1, 0),
    }
    told = words(patches.tell(answer))
    assert (
        "4 rollouts change tests alone and no other code: 4 failures and 0 passes, of the others 8 of 15 pass (one 4; "
        "tasks 13, 14, 15 and 16). Most of them hold tests/test_new.py." in told
    )
    assert "3 rollouts hand in an empty patch: 3 failures and 0 passes, of the others 8 of 16 pass" in told
    assert "1 rollout touches no file of the reference patch" in told
    assert "one | 3 (0 passes) | 4 (0 passes) | 1 (0 passes) | 1 (0 passes) | 10 (8 passes)" in told
    assert [one.text for one in patches.brief(answer)] == [
        "4 of 19 rollouts change tests alone and no other code, and none of them passes (one 4)."
    ]


def test_a_patch_that_is_not_recorded_is_no_empty_one(tmp_path: Path) -> None:
    rows = [_row(task, None, passed=task % 2 == 0) for task in range(10)]
    assert "patches" not in analysed(write(tmp_path / "one.jsonl", rows)).investigation


def test_the_patch_of_the_task_is_not_what_was_handed_in(tmp_path: Path) -> None:
    rows = [
        row(task, attempt, float(attempt), fix=_patch("docs/a.md", f"{task}"), expected_answer=None)
        for task in range(5)
        for attempt in range(2)
    ]
    assert "patches" not in analysed(write(tmp_path / "one.jsonl", rows)).investigation


def _steps(*commands: str) -> Json:
    parts = [called("bash", {"command": command}, "done") for command in commands]
    return task_row(0, *parts, said("Done."), passed=False)


@pytest.mark.parametrize(
    ("commands", "checked"),
    [
        (("echo 'x = 1' > a.py", "cat a.py"), False),
        (("echo 'x = 1' > a.py", "python a.py"), True),
        (("echo 'x = 1' > a.py", "python a.py", "echo 'x = 2' > a.py", "git diff"), False),
        (("echo hello > notes.txt", "cat notes.txt"), True),
    ],
)
def test_code_is_checked_only_where_something_was_run(commands: tuple[str, ...], *, checked: bool) -> None:
    attempt = Attempt(_steps(*commands))
    assert (CHECKED in stages(attempt)) is checked
    if "a.py" in commands[0]:
        assert artefacts(attempt)["edited"] == checked


def test_what_patches_touch_is_counted_by_outcome(tmp_path: Path) -> None:
    def wide(task: int) -> str:
        more = _patch("src/more.py", f"z = {task}", "w = 2") + _patch("t.ini", f"a = {task}")
        return _patch(f"src/part_{task}.py", "y = 3") + more

    rows = [_row(task, _patch(f"src/part_{task}.py", "y = 3"), passed=True) for task in range(12)]
    rows += [_row(task, wide(task), passed=False) for task in range(12, 22)]
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["patches"]
    assert (
        "more than one file of code in 0 of 12 against 10 of 10; tests beside the code in 0 against 0; files without "
        "code (settings, notes, data) in 0 against 10; a median of 1 changed lines against 4."
        in words(patches.tell(answer))
    )


def test_what_the_environment_changes_in_patches_of_many_tasks_is_left_aside(tmp_path: Path) -> None:
    def carrying(task: int) -> str:
        return _patch(f"src/part_{task}.py", "y = 3") + _patch("setup.py", "z = 1") + _patch("t.ini", "a")

    rows = [_row(task, _patch(f"src/part_{task}.py", "y = 3"), passed=True) for task in range(12)]
    rows += [_row(task, carrying(task), passed=False) for task in range(12, 22)]
    told = words(patches.tell(analysed(write(tmp_path / "one.jsonl", rows)).investigation["patches"]))
    assert (
        "counted without what comes from the environment: more than one file of code in 0 of 12 against 0 of 10; tests "
        "beside the code in 0 against 0; files without code (settings, notes, data) in 0 against 0" in told
    )


def test_a_patch_that_passes_is_not_called_broken(tmp_path: Path) -> None:
    odd = _patch("src/old.py", "print 'old'", new=True)
    rows = [_row(task, odd, passed=task < 2) for task in range(3)]
    rows += [_row(task, _patch(f"src/part_{task}.py", "y = 3"), passed=task < 8) for task in range(3, 12)]
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["patches"]
    assert {one["kind"] for one in answer["findings"]} == {"elsewhere"}, "what passes was applied and ran"


def test_a_patch_is_not_the_model_s_where_it_hands_in_other_code() -> None:
    patch = _patch("src/part.py", "amount = price * pieces", "return round(amount, 2)")
    script = "Here is the test:\n```python\ndef test_amount():\n    assert total(2, 3) == 6\n```"
    assert "patches" not in artefacts(Attempt(_answered(script, patch)))
    fenced = "The fix:\n```python\namount = price * pieces\nreturn round(amount, 2)\n```"
    assert "patches" in artefacts(Attempt(_answered(fenced, patch)))
    assert "patches" in artefacts(Attempt(_answered("I changed the rounding.", patch))), "its work is not recorded"


def _answered(text: str, patch: str) -> Json:
    return row(0, reward=0.0, extracted_answer=None, response=response(message(text)), model_patch=patch)


def test_patches_are_counted_by_the_lines_of_code_that_change(tmp_path: Path) -> None:
    rows = [
        _row(task, _patch(f"src/part_{task}.py", *(f"y = {line}" for line in range(size))), passed=task % part != 0)
        for size, part, first in ((2, 5, 0), (4, 3, 20), (50, 2, 40))
        for task in range(first, first + 12)
    ]
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["patches"]
    assert "By lines of code that change, 1 to 2: 9 of 12; 3 to 5: 8 of 12; 41 or more: 6 of 12 pass." in words(
        patches.tell(answer)
    )


def _empty(task: int, *parts: list[Json], passed: bool = False) -> Json:
    return task_row(task, *parts, said("Done."), passed=passed, model_patch="")


def test_how_failures_came_to_an_empty_patch_is_told(tmp_path: Path) -> None:
    def edit(answer: str) -> list[Json]:
        return called("edit_file", {"path": "a.py", "old_str": "x = 1", "new_str": "x = 2"}, answer)

    refused, done = "Error: old_str not found, file unchanged", "edited"
    rows = [_empty(task, edit(refused)) for task in range(3)]
    rows += [_empty(3, edit(done), edit(refused)), _empty(4, edit(refused), edit(done))]
    rows += [_empty(5, called("read_file", {"path": "a.py"}, "x = 1")), _empty(6, edit(refused), passed=True)]
    rows += [
        task_row(task, edit(done), said("Done."), passed=task % 2 > 0, model_patch=_patch("a.py", "y = 2"))
        for task in range(7, 20)
    ]
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["patches"]
    assert (
        "It passes in 6: that task is passed without any change. Of the failures, 3 had no edit that went well (one "
        "3); 1 had a last edit that failed and was not tried again (one 1); 1 made no edit (one 1); 1 had a last edit "
        "that went well, so that it was undone or the patch lacks it (one 1)." in words(patches.tell(answer))
    )
