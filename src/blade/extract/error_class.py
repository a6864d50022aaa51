"""The class of a failed call's message: what two failures of one kind have in common."""

from __future__ import annotations

from blade.late_regex import late_regex

_CLASS = late_regex(r"\b[A-Z][A-Za-z]*(?:Error|Exception)\b")
_QUOTED = late_regex(r"'[^']{0,200}'|\"[^\"]{0,200}\"|`[^`]{0,200}`")
_VALUES = late_regex(r"\S*[/@\\]\S*|[\w.+-]*\d[\w.+-]*")
_BARE = late_regex(r"(exit|return)[ _a-z]*(code|status)?\W*-?\d*|\w+ is (true|false)|error|failed|failure|traceback")
_MARKS = str.maketrans("", "", "{}[]'\"`")
LONGEST = 60


def error_class(problem: str) -> str:
    """A language's error class where one is named; else the message's words without its values."""
    head = problem[:400]
    match = _CLASS.search(head)
    if match:
        return match.group(0)
    line = head.split("\n", 1)[0]
    bare = _VALUES.sub("#", _QUOTED.sub("#", line))
    if not any(mark.isalpha() for mark in bare):
        bare = _VALUES.sub("#", line.translate(_MARKS))
    return " ".join(bare.lower().split())[:LONGEST].strip(" :.,;(#")


def says_nothing(problem: str) -> bool:
    """A message that gives no reason: an exit code alone, a flag."""
    return not problem.strip() or _BARE.fullmatch(problem.strip().lower()) is not None
