"""Which phrases a reader learns something from."""

from __future__ import annotations

import pytest

from blade.diagnosis.phrases import has_words


@pytest.mark.parametrize(
    "phrase", ["syntax error", "#: syntax error", "permission denied by", "无法找到文件", "не найден"]
)
def test_words_are_told(phrase: str) -> None:
    assert has_words(phrase)


@pytest.mark.parametrize("phrase", ["testbed/#/#", "rw-r--r", "# \\ $#}'", "a b c", ""])
def test_marks_numbers_and_pieces_of_a_path_are_not(phrase: str) -> None:
    assert not has_words(phrase)
