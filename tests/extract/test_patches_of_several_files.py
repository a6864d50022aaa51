"""Patches of several files without a line "diff --git", with hunks that promise more lines than they hold."""

from __future__ import annotations

import pytest

from blade.extract.artefacts import BROKEN, opened


def part(path: str, added: str, promised: int = 2, old: int = 1) -> str:
    return f"--- a/{path}\n+++ b/{path}\n@@ -1,{old} +1,{promised} @@\n x = 1\n+{added}\n"


@pytest.mark.parametrize(("promised", "old"), [(2, 1), (3, 1), (9, 1), (2, 9), (9, 8)])
def test_the_next_file_begins_whatever_the_hunk_before_it_promised(promised: int, old: int) -> None:
    patch = opened(part("one.py", "y = 2", promised, old) + part("two.py", "z = 3"))
    assert patch.code == {"one.py", "two.py"}
    assert {path: lines for path, (_, lines) in patch.changes.items()} == {"one.py": 1, "two.py": 1}
    assert patch.code_lines == ("+ y = 2", "+ z = 3")
    assert patch.lines == 2


def test_each_of_three_files_has_its_own_lines() -> None:
    text = part("one.py", "y = 2", 9) + part("tests/test_two.py", "assert y", 9) + part("NOTES.md", "so", 2)
    patch = opened(text)
    assert [*patch.code, *patch.tests, *patch.others] == ["one.py", "tests/test_two.py", "NOTES.md"]
    assert patch.lines == 3


def test_a_new_file_is_known_as_one_behind_such_a_hunk() -> None:
    new = "--- /dev/null\n+++ b/two.py\n@@ -0,0 +1,1 @@\n+z = 3\n"
    patch = opened(part("one.py", "y = 2", 9) + new)
    assert patch.added == {"two.py"}
    assert patch.code == {"one.py", "two.py"}


def test_a_last_hunk_that_promises_more_is_broken() -> None:
    assert opened(part("one.py", "y = 2") + part("two.py", "z = 3", 9)).problem == BROKEN
    assert opened(part("one.py", "y = 2") + part("two.py", "z = 3")).problem == ""


def test_a_line_that_is_taken_out_begins_no_file() -> None:
    """A comment of SQL that goes is written with three dashes; no line with three plus signs follows it."""
    patch = opened("--- a/q.sql\n+++ b/q.sql\n@@ -1,2 +1,2 @@\n--- all rows\n+-- some rows\n x\n")
    assert patch.code | patch.others == {"q.sql"}
    assert (patch.problem, patch.lines) == ("", 2)


def test_an_added_line_with_two_plus_signs_begins_no_file() -> None:
    patch = opened("--- a/q.txt\n+++ b/q.txt\n@@ -1,1 +1,2 @@\n x\n+++ y\n")
    assert patch.others == {"q.txt"}
    assert (patch.problem, patch.lines) == ("", 1)


def test_a_patch_may_end_on_the_name_of_a_file() -> None:
    patch = opened(part("one.py", "y = 2", 9) + "--- a/two.py\n+++ b/two.py")
    assert patch.code == {"one.py", "two.py"}
    assert list(patch.changes) == ["one.py"]
