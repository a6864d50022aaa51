"""Files that a verifier misses and that the text of the task never names: nobody could know of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from blade.evidence import open_rows
from blade.extract.task_text import task_text
from blade.late_regex import late_regex
from blade.model import Source

_FILE = late_regex(r"(?<![\w./{}])/[\w./-]*[\w-]\.(?!py\b)[A-Za-z]\w{0,5}\b(?![:/{}\w])")
"""A file with its whole path; code in a message is the test's own."""
_NOT_THERE = late_regex(
    r"FileNotFound|no such file|not exist|not found|\bmissing\b|not there|could not (?:find|open)", re.IGNORECASE
)


def unnamed_files(complaints: Mapping[str, Iterable[str]], sources: Mapping[str, Source]) -> dict[str, list[str]]:
    """By task the files that its complaints miss and its text does not name; a task that has no text has none."""
    files = {task: list(dict.fromkeys(_missed(lines))) for task, lines in complaints.items()}
    asked = {task: names for task, names in files.items() if names}
    texts = {source: task_text(row) for source, row in open_rows(sources[task] for task in asked)}
    unnamed = {task: _not_in(texts.get(sources[task], ""), names) for task, names in asked.items()}
    return {task: names for task, names in unnamed.items() if names}


def _missed(lines: Iterable[str]) -> Iterable[str]:
    """The files that messages say are not there; one that is there and wrong the task need not name."""
    return (name for line in lines if _NOT_THERE.search(line) for name in _FILE.findall(line))


def _not_in(text: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if text and name.rsplit("/", 1)[-1] not in text]
