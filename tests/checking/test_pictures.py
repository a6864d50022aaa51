"""Pictures in a report are not claims: they neither hold nor fail."""

from __future__ import annotations

from blade.checking.markdown_blocks import markdown_blocks


def test_a_picture_is_no_piece() -> None:
    text = "# T\n\n## S\n\n![It is 99.9% [a] of b.](assets/scores.svg)\n\nIt is 3.\n"
    assert [piece.text for piece in markdown_blocks(text)] == ["T", "S", "It is 3."]


def test_words_beside_a_picture_are_still_read() -> None:
    text = "## S\n\nSee ![x](assets/scores.svg) it is 99%.\n"
    assert any("99%" in piece.text for piece in markdown_blocks(text))
