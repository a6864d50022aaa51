"""Assertions of tests that were there and that a patch takes out or changes."""

from __future__ import annotations

from blade.extract.artefacts import opened
from blade.extract.rewritten_tests import rewritten_tests

OLD = "kitchen/tests/test_soup.py"


def _patch(*body: str, path: str = OLD, behind: str = "") -> str:
    old, new = (sum(line[:1] != sign for line in body) for sign in "+-")
    head = f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -7,{old} +7,{new} @@{behind}\n"
    return head + "\n".join(body) + "\n"


def test_a_changed_assertion_is_counted_with_the_name_of_its_test() -> None:
    patch = _patch(" def test_salt():", "-    assert soup(3) == 'thin'", "+    assert soup(3) == 'thick'")
    assert rewritten_tests(patch, {OLD}) == (1, ["test_salt"])
    assert opened(patch).rewritten == (1, ["test_salt"])


def test_the_head_of_a_hunk_names_the_test_that_it_lies_in() -> None:
    patch = _patch("     pot = 1", "-    self.assertIn('leek', pot)", behind=" def test_leek(self):")
    assert rewritten_tests(patch, {OLD}) == (1, ["test_leek"])


def test_what_only_moves_or_is_added_is_nothing() -> None:
    moved = _patch(" def test_salt():", "-    assert soup(3)", "+    if warm:", "+        assert soup(3)")
    added = _patch(" def test_salt():", "+    assert soup(4)")
    assert rewritten_tests(moved, {OLD}) == (0, [])
    assert rewritten_tests(added, {OLD}) == (0, [])


def test_new_test_files_and_code_are_nothing() -> None:
    code = _patch(" def soup():", "-    assert pot", path="kitchen/soup.py")
    assert opened(code).rewritten == (0, [])
    new = f"diff --git a/{OLD} b/{OLD}\nnew file mode 100644\n--- /dev/null\n+++ b/{OLD}\n@@ -0,0 +1,1 @@\n+assert 1\n"
    assert opened(new).rewritten == (0, [])


def test_other_languages_are_read() -> None:
    patch = _patch(
        " it('is warm', () => {", "-  expect(soup).toBe(3);", "+  expect(soup).toBe(4);", path="spec/soup.js"
    )
    assert rewritten_tests(patch, {"spec/soup.js"}) == (1, ["is warm"])
