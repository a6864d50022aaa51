"""Faults that a test shows in its own log, beside the text of its task: what nobody could do right.

The test opens a file under another name than the task gives it, calls a tool with an option that the tool refuses, or
reads a key that the task never names beside keys that it does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from blade.extract.row_texts import row_texts
from blade.extract.task_text import task_text
from blade.late_regex import late_regex
from blade.wording import listed

OTHER_NAME, REFUSED_OPTION, UNNAMED_KEY = "other_name", "refused_option", "unnamed_key"
WRONG_TEST = {
    OTHER_NAME: ": the test opens {found}, and the task calls that file {instead}",
    REFUSED_OPTION: ": a tool refuses an option of the test's own command, which the task never names (“{instead}”), "
    "so that the test may be wrong",
    UNNAMED_KEY: ": the test reads the key “{found}”, which the task never names (it names {instead})",
}
"""What is wrong in a test, in words."""
FEWEST_WORDS = 2
FEWEST_LETTERS = 3
LONGEST_LINE = 400
_NAME = late_regex(r"(?<![\w.-])(?:[\w.-]*/)*([\w-]+(?:\.[\w-]+)+)(?![\w-])")
"""A file, with or without its folders."""
_WORDS = late_regex(r"[^\W_]+")
_NOT_THERE = late_regex(
    r"FileNotFound|no such file|not exist|not found|\bmissing\b|not there|"
    r"(?:can'?t|cannot|could not) (?:find|open|read)",
    re.IGNORECASE,
)
_REFUSED = late_regex(
    r"\b(?:unsupported|unknown|unrecogni[sz]ed|invalid|illegal|bad|unexpected|no such)\b[^\n\"'`“‘]{0,30}?"
    r"\b(?:options?|arguments?|flags?|switch(?:es)?|parameters?)\b(?: for \w+)?[ :=-]*[\"'`“‘]?(-{0,2}\w[\w=-]*)",
    re.IGNORECASE,
)
_JOINTS = late_regex(r"[\s\"'+,\\]+")
"""What stands between the pieces of a command in code."""
_KEY_ERROR = late_regex(r"\bKeyError: ['\"]([^'\"\n]{1,60})['\"]")
_READ = late_regex(r"\[\s*['\"](\w{1,60})['\"]\s*\]|\.get\(\s*['\"](\w{1,60})['\"]")

_ASKED_KEY = late_regex(r"[\"'`](\w{1,60})[\"'`]\s*:")
"""A key of a format that the task shows."""
MOST_KEYS = 8


class Defect(NamedTuple):
    """What is wrong in the test: its kind, what it does, and what the task says instead."""

    kind: str
    found: str
    instead: str = ""


def row_defects(row: dict[str, Any]) -> set[Defect]:
    """The faults that the log of one row shows; a task without a text shows none."""
    task = task_text(row)
    logs = [text.text for text in row_texts(row) if "\n" in text.text]
    if not task or not logs:
        return set()
    log = "\n".join(logs)
    return {*_other_names(log, task), *_refused_options(log, task), *_unnamed_keys(log, task)}


def _other_names(log: str, task: str) -> Iterator[Defect]:
    """Files that are missed under a name made of the same words as one in the task, in another order or writing."""
    task_names = {name: _words(name) for name in _NAME.findall(task)}
    for line in log.split("\n") if task_names else ():
        if len(line) > LONGEST_LINE or not _NOT_THERE.search(line):
            continue
        for name in _NAME.findall(line):
            similar_names = sorted(
                name_in_task
                for name_in_task, words in task_names.items()
                if words == _words(name) and name_in_task != name
            )
            if similar_names and name not in task and len(_words(name)) >= FEWEST_WORDS:
                yield Defect(OTHER_NAME, name, similar_names[0])


def _words(name: str) -> list[str]:
    return sorted(word.casefold() for word in _WORDS.findall(name))


def _refused_options(log: str, task: str) -> Iterator[Defect]:
    """Options that a tool refuses and the task never names, where the code of the test in the log makes them."""
    lines = log.split("\n")
    refusals = [(line, match.group(1)) for line in lines if (match := _REFUSED.search(line[:LONGEST_LINE]))]
    if not refusals:
        return
    code = _JOINTS.sub("", "".join(line for line in lines if not _REFUSED.search(line[:LONGEST_LINE])))
    for line, option in refusals:
        if len(option) >= FEWEST_LETTERS and option in code and option not in task and not _is_value(option):
            yield Defect(REFUSED_OPTION, option, line.strip()[:LONGEST_LINE])


def _is_value(option: str) -> bool:
    """Whether a refused word is no option: without a dash it stands for a value."""
    return "-" not in option


def _unnamed_keys(log: str, task: str) -> Iterator[Defect]:
    """Keys that the test misses and the task never names, where it reads others that the task does name."""
    missed = {key for key in _KEY_ERROR.findall(log) if not _task_names(key, task)}
    if not missed:
        return
    read = dict.fromkeys(single_quoted or double_quoted for single_quoted, double_quoted in _READ.findall(log))
    named_keys = [key for key in read if key not in missed and _task_names(key, task)]
    task_keys = list(dict.fromkeys(_ASKED_KEY.findall(task))) or named_keys
    for key in sorted(missed & read.keys()) if named_keys else ():
        yield Defect(UNNAMED_KEY, key, listed(task_keys[:MOST_KEYS]))


def _task_names(key: str, task: str) -> bool:
    """Whether the task names a key: as a word, and a single letter only in quotes or before a colon."""
    if len(key) > 1:
        return re.search(rf"(?<!\w){re.escape(key)}(?!\w)", task) is not None
    return re.search(rf"[\"'`]{re.escape(key)}[\"'`]|(?<!\w){re.escape(key)}\s*[:=]", task) is not None
