"""What a verifier's log says where its test program ran no test at all: then nothing was checked."""

from __future__ import annotations

import re
from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.prefilter import has_odd_letters, holds_any, may_hold
from blade.extract.text import clip, squeeze
from blade.late_regex import late_regex

LONGEST = 120
_NONE_RAN = late_regex(
    r"\bno tests ran\b|\bRan 0 tests\b|\bno tests? (?:were |was )?(?:found|collected|to run|matched)\b|"
    r"\bNo test files found\b|\bTests run: 0\b|\bTESTS=0\b|\brunning 0 tests\b|\b0 examples, 0 failures\b|"
    r"\b0 passing\b",
    re.IGNORECASE,
)
_HINTS = ("no test", " 0 tests", "0 passing", "tests run: 0", "tests=0", "0 examples")
_RAN = late_regex(
    r"\b[1-9]\d* (?:passed|failed|passing|failing|errors?|examples?)\b|\bTests run: [1-9]|\bTESTS=[1-9]|"
    r"\brunning [1-9]\d* tests?\b|\bRan [1-9]|^(?:--- (?:PASS|FAIL)|(?:not )?ok \d|PASSED|FAILED)\b|\bcollected [1-9]",
    re.IGNORECASE | re.MULTILINE,
)


def no_tests(attempt: Attempt) -> dict[str, Any]:
    """`no_tests`: the field and the line that says so, where no text of the verifier tells of a test that ran."""
    if not holds_any(attempt.all_texts_low, _HINTS) and not has_odd_letters(attempt.all_texts):
        return {}
    texts = attempt.texts()
    first = next(
        ((text, match) for text in texts if may_hold(text.text, _HINTS) and (match := _NONE_RAN.search(text.text))),
        None,
    )
    if first is None or any(_RAN.search(text.text) for text in texts):
        return {}
    text, match = first
    start = text.text.rfind("\n", 0, match.start()) + 1
    line = text.text[start:].partition("\n")[0]
    return {"no_tests": [text.name, clip(squeeze(line).strip(" =*-"), LONGEST)]}
