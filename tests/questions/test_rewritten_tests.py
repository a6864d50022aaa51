"""Patches that make tests expect something else, and the tests that fail then."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import Json, analysed, row, write
from tests.questions.made_cases import words

from blade.questions import rewritten_tests


def _patch(task: int, *, rewrites: bool = False, adds: bool = False) -> str:
    code = f"kitchen/pot_{task}.py"
    patch = f"diff --git a/{code} b/{code}\n--- a/{code}\n+++ b/{code}\n@@ -1,1 +1,2 @@\n kettle = 1\n+lid = {task}\n"
    test = f"kitchen/tests/test_pot_{task}.py"
    head = f"diff --git a/{test} b/{test}\n--- a/{test}\n+++ b/{test}\n"
    if rewrites:
        patch += (
            f"{head}@@ -1,2 +1,2 @@\n def test_lid_{task}():\n-    assert lid == 0\n+    assert lid == {task + 1}\n"
        )
    if adds:
        patch += f"{head}@@ -1,1 +1,2 @@\n def test_lid_{task}():\n+    assert lid\n"
    return patch


def _row(task: int, passed: bool, *, rewrites: bool = False, adds: bool = False) -> Json:
    failing = [] if passed else [f"tests/test_pot.py::test_lid_{task}" if rewrites else "test_other"]
    tests = {"wanted": {"success": ["test_a"], "failure": failing}, "kept": {"success": ["test_b"], "failure": []}}
    return row(
        task,
        reward=float(passed),
        expected_answer=None,
        extracted_answer=None,
        model_patch=_patch(task, rewrites=rewrites, adds=adds),
        tests_status=tests,
    )


def _report(tmp_path: Path, rows: list[Json]) -> str | None:
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation.get("rewritten_tests")
    return words(rewritten_tests.tell(answer)) if answer else None


def test_rewritten_assertions_are_told_with_both_outcomes_and_the_tests_that_fail(tmp_path: Path) -> None:
    rows = [_row(task, task < 2, rewrites=True) for task in range(12)]
    rows += [_row(task, True, adds=True) for task in range(12, 16)]
    rows += [_row(task, task % 8 > 0) for task in range(16, 56)]
    text = _report(tmp_path, rows)
    assert text is not None
    assert (
        "12 patches take out or change assertions of tests that were there (one 12): 2 of them pass, of the others 39 "
        "of 44; it goes with the outcome (p = " in text
    ), text
    assert "Of 4 patches that touch tests and leave every assertion as it was, 4 pass." in text
    assert (
        "In 10 of the 10 failures whose failed checks are known, a test that fails is one that the patch rewrote (2, "
        "3, 4, 5, 6, 7, 8, 9, 10 and 11). None of these tests is of “kept”, which most failures meet in full: a "
        "solution may have had to change them." in text
    )


def test_only_a_test_that_was_to_hold_is_bent(tmp_path: Path) -> None:
    """Of ten rewritten tests that fail two are of the set that nearly every failure meets."""
    rows = [_row(task, task < 2, rewrites=True) for task in range(12)]
    for one in rows[2:4]:
        sets = one["tests_status"]
        sets["kept"]["failure"], sets["wanted"]["failure"] = sets["wanted"]["failure"], ["test_other"]
    rows += [_row(task, task % 8 > 0) for task in range(16, 56)]
    text = _report(tmp_path, rows)
    assert text is not None
    assert (
        "In 2 of them (2 and 3) it is of “kept”, which most failures meet in full: there the model bent a test that "
        "was to hold. In the others a solution may have had to change it." in text
    )


def test_without_sets_to_tell_apart_the_reader_decides(tmp_path: Path) -> None:
    rows = [_row(task, task < 2, rewrites=True) for task in range(12)]
    rows += [_row(task, task % 8 > 0) for task in range(16, 56)]
    for one in rows:
        one["tests_status"] = {"all": one["tests_status"]["wanted"]}
    text = _report(tmp_path, rows)
    assert text is not None
    assert "10 and 11): read whether the model bent it to its own reading." in text


def test_where_it_does_not_go_with_the_outcome_that_is_said_and_the_first_screen_is_silent(tmp_path: Path) -> None:
    rows = [_row(task, bool(task % 2), rewrites=task < 10) for task in range(40)]
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["rewritten_tests"]
    assert "of the others 15 of 30; that may be chance." in words(rewritten_tests.tell(answer))
    assert not list(rewritten_tests.brief(answer))


def test_few_such_patches_are_not_told(tmp_path: Path) -> None:
    assert _report(tmp_path, [_row(task, task > 3, rewrites=task < 3) for task in range(30)]) is None
