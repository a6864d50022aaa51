"""Writing systems of texts, and ways to count words."""

from __future__ import annotations

import pytest

from blade.extract.scripts import word_counts, writing_system


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("Write about rain.", "Latin"),
        ("Écrivez sur la pluie à Genève.", "Latin"),
        ("雨について書いてください。 Answer only in Japanese.", "Chinese or Japanese"),
        ("비에 대해 써 주세요.", "Hangul"),
        ("Напишите о дожде.", "Cyrillic"),
        ("اكتب عن المطر", "Arabic"),
        ("बारिश के बारे में लिखो", "Devanagari"),
        ("เขียนเกี่ยวกับฝน", "Thai"),
        ("Let α be the angle between the two sides of the roof.", "Latin"),
        ("12 + 3 = ?", ""),
        ("", ""),
        ("雨", ""),
    ],
)
def test_the_script_is_the_one_that_much_of_a_text_is_written_in(text: str, script: str) -> None:
    assert writing_system(text) == script


def test_words_are_counted_by_blanks_and_by_letters_each_number_once() -> None:
    assert word_counts("雨が降る、屋根に。 it's 4") == [3, 4, 5]
    assert word_counts("") == [0]
