"""Which lines of a verifier's log are code that a traceback shows, and not something that was printed."""

from __future__ import annotations

from blade.extract.prefilter import holds_any
from blade.late_regex import late_regex

_HINTS = ("E   ", 'File "')
_FRAME = late_regex(r"_{3,} .+ _{3,}\s*$|(?:_ ){5,}")
"""A test runner's header of a failed test, and the rule between two frames."""
_ERROR = late_regex(r"E\s")
_FAILING = late_regex(r">\s{2,}")
_SECTION = late_regex(r"={5,}|-{3,} Captured ")
_FILE = late_regex(r'\s+File "[^"]*", line \d+')
_CODE = " " * 4


def printed(text: str, *, failing: bool = False) -> str:
    """The log with spaces in place of the code of its tracebacks, so that every other line keeps its place.

    `failing` keeps the statement that a test runner marks as the one that failed.
    """
    if not holds_any(text, _HINTS):
        return text
    lines = text.split("\n")
    in_traceback, after_file = _begins_inside(lines), False
    for place, line in enumerate(lines):
        if _SECTION.match(line):
            in_traceback = False
        elif _FRAME.match(line):
            in_traceback = True
        names_file = _FILE.match(line) is not None
        code = (in_traceback or after_file) and line.startswith(_CODE) and not names_file
        if code or (in_traceback and not failing and _FAILING.match(line)):
            lines[place] = " " * len(line)
        after_file = names_file
    return "\n".join(lines)


def _begins_inside(lines: list[str]) -> bool:
    """Whether a log whose beginning was cut off begins in the code of a failed test."""
    for line in lines:
        if _ERROR.match(line) or _FAILING.match(line):
            return True
        if _SECTION.match(line) or _FRAME.match(line):
            return False
    return False
