"""The changed line that patches which pass share, and patches which fail lack."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import Json, analysed, row, write
from tests.questions.made_cases import words

from blade.extract.artefacts import opened
from blade.questions import shared_lines


def _patch(*lines: str, path: str = "kitchen/pot.py") -> str:
    body = "".join(f"+{line}\n" for line in lines)
    return (
        f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -1,1 +1,{len(lines) + 1} @@\n kettle = 1\n{body}"
    )


def _row(task: int, attempt: int, *lines: str, passed: bool) -> Json:
    return row(task, attempt, float(passed), expected_answer=None, extracted_answer=None, model_patch=_patch(*lines))


def test_the_lines_of_code_are_kept_without_their_layout_and_without_tests_and_comments() -> None:
    patch = _patch("    lid  =  True", "# the lid", "") + _patch("assert lid", path="tests/test_pot.py")
    assert opened(patch).code_lines == ("+ lid = True",)
    assert opened(_patch(*(f"part_{number} = {number}" for number in range(101)))).code_lines == ()


def test_a_line_of_every_pass_and_of_no_failure_is_told_with_its_counts(tmp_path: Path) -> None:
    rows = [_row(0, attempt, f"note = {attempt}", "  lid.close(at=boiling)", passed=True) for attempt in range(8)]
    rows += [_row(0, attempt, f"note = {attempt}", "lid.open()", passed=False) for attempt in range(8, 16)]
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["shared_lines"]
    text = words(shared_lines.tell(answer))
    assert (
        "Task 0: all 8 patches that pass add “lid.close(at=boiling)”, and none of 8 that fail with code (p = " in text
    ), text
    assert [sentence.text for sentence in shared_lines.brief(answer)] == [text.removeprefix("- ").strip()]


def test_a_line_that_a_failure_has_too_decides_nothing(tmp_path: Path) -> None:
    rows = [_row(0, attempt, f"note = {attempt}", "lid.close(at=boiling)", passed=attempt < 8) for attempt in range(16)]
    assert "shared_lines" not in analysed(write(tmp_path / "one.jsonl", rows)).investigation


def test_a_few_patches_of_each_task_are_a_place_to_look(tmp_path: Path) -> None:
    rows = [
        _row(
            task,
            attempt,
            f"note = {attempt}",
            f"lid.close(pot={task})" if attempt < 2 else "pass_on(lid)",
            passed=attempt < 2,
        )
        for task in range(4)
        for attempt in range(3)
    ]
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["shared_lines"]
    assert (
        "In 4 of 4 tasks with two passing patches and a failing one, all passing patches share a changed line that no "
        "failing one has (0, 1, 2 and 3): a few patches prove nothing, but that line is where to look first."
        in words(shared_lines.tell(answer))
    )
    assert list(shared_lines.brief(answer)) == []
