"""In which writing system a text is written, and ways in which a program may count its words."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter

from blade.late_regex import late_regex

LATIN, CJK, HANGUL = "Latin", "Chinese or Japanese", "Hangul"
THAI, LAO, KHMER, BURMESE = "Thai", "Lao", "Khmer", "Burmese"
UNSPACED = frozenset({CJK, THAI, LAO, KHMER, BURMESE})
"""Scripts that put no blanks between words."""
_RANGES = (
    (0x0370, 0x03FF, "Greek"),
    (0x0400, 0x052F, "Cyrillic"),
    (0x0530, 0x058F, "Armenian"),
    (0x0590, 0x05FF, "Hebrew"),
    (0x0600, 0x077F, "Arabic"),
    (0x0900, 0x097F, "Devanagari"),
    (0x0980, 0x09FF, "Bengali"),
    (0x0A00, 0x0A7F, "Gurmukhi"),
    (0x0A80, 0x0AFF, "Gujarati"),
    (0x0B80, 0x0BFF, "Tamil"),
    (0x0C00, 0x0C7F, "Telugu"),
    (0x0C80, 0x0CFF, "Kannada"),
    (0x0D00, 0x0D7F, "Malayalam"),
    (0x0D80, 0x0DFF, "Sinhala"),
    (0x0E00, 0x0E7F, THAI),
    (0x0E80, 0x0EFF, LAO),
    (0x1000, 0x109F, BURMESE),
    (0x10A0, 0x10FF, "Georgian"),
    (0x1100, 0x11FF, HANGUL),
    (0x1200, 0x137F, "Ethiopic"),
    (0x1780, 0x17FF, KHMER),
    (0x3040, 0x30FF, CJK),
    (0x3400, 0x4DBF, CJK),
    (0x4E00, 0x9FFF, CJK),
    (0xAC00, 0xD7AF, HANGUL),
    (0xFB50, 0xFDFF, "Arabic"),
    (0x20000, 0x3FFFF, CJK),
)
_STARTS = [start for start, _, _ in _RANGES]
_DENSE = {CJK: 2, HANGUL: 2}
"""A letter of these scripts says as much as so many of others."""
READ = 4000
FEWEST_LETTERS = 4
SHARE = 0.2
"""So much of a text in another script makes it one of that script: prompts add what they ask for in English."""
_WAYS = (late_regex(r"\w+"), late_regex(r"[^\W\d_]+"), late_regex(r"[\w'’-]+"))


def writing_system(text: str) -> str:
    """The script other than Latin in which much of a text is written, else Latin; empty where it has few letters."""
    if text.isascii():
        return LATIN if sum(map(str.isalpha, text[:READ])) >= FEWEST_LETTERS else ""
    letters = Counter(_script(letter) for letter in text[:READ] if letter.isalpha())
    if letters.total() < FEWEST_LETTERS:
        return ""
    sizes = {script: number * _DENSE.get(script, 1) for script, number in letters.items()}
    foreign = [(size, script) for script, size in sizes.items() if script != LATIN]
    size, script = max(foreign, default=(0, LATIN))
    return script if size >= SHARE * sum(sizes.values()) else LATIN


def _script(letter: str) -> str:
    """The script of a letter; of all that has no range of its own Latin."""
    code = ord(letter)
    place = bisect_right(_STARTS, code) - 1
    return _RANGES[place][2] if place >= 0 and code <= _RANGES[place][1] else LATIN


def word_counts(text: str) -> list[int]:
    """How many words a text has where blanks part them, where all but letters does, each number once."""
    return sorted({len(text.split()), *(len(way.findall(text)) for way in _WAYS)})
