"""Paths that the task names as given: those that the environment says are not there, and those that are."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.calls import Call
from blade.extract.prefilter import holds_any
from blade.extract.step_scores import best_step
from blade.extract.text import clip
from blade.extract.transcript import arguments_text
from blade.late_regex import late_regex
from blade.model import Step

MOST_PATHS = 8
FIRST_CALLS = 12
"""What a call comes to later than that may be the agent's own doing."""
LONGEST = 160
_READ = 4_000
_LONGEST_TASK = 50_000
_BEFORE = 80
_PATH = late_regex(r"/(?<![\w/.:~<$}\-]/)(?:[\w.-]+/)*[\w.-]*[\w-](?=/?(?![\w/]))")
_GONE = late_regex(
    r"no such file or directory|does ?n[o']t exist|does not exist|cannot find the (?:path|file)|error opening dir|"
    r"\bENOENT\b|FileNotFoundError",
    re.IGNORECASE,
)
_HINTS = ("no such file", "not exist", "n't exist", "cannot find the", "error opening dir", "enoent", "filenotfound")
"""What tells of an absent path holds one of these, in lower case."""
_TO_BE_MADE = late_regex(
    r"\b(?:creat|writ|sav|stor|output|produc|generat|dump|export|build|mak|install|download|append|redirect|plac|put|"
    r"compil|deliver|submit|deploy)\w*|\b(?:results?|missing|absent)\b|"
    r"\b(?:to|into|as|called|named|new)\b(?: (?:the|a|an|new|file|folder|directory|path)\b)*\W*$",
    re.IGNORECASE,
)
"""Before a path, in its sentence: the task may ask to make what the path names, or say that it is not there."""
_SENTENCE = late_regex(r"[.!?;]\s|\n")
_MAKES = late_regex(
    r">|\b(?:mkdir|touch|tee|install|write|create|mount|clone|cp|mv|ln|init|unzip|tar|rsync|curl|wget|patch|edit|insert|"
    r"add|update|save|dump|open|output|out|append|make|build)\b|-o\b|to_\w+\(",
    re.IGNORECASE,
)
"""What may make a path: that it works says nothing of what was there."""
_REMOVES = late_regex(
    r"\b(?:rm|rmdir|mv|unlink|rename|remove|delete|rmtree|del|clean|umount|checkout|reset|stash|shred)\b", re.IGNORECASE
)
_REMOVERS = ("rm: ", "rmdir: ", "mv: ", "unlink: ", "find: ")
_FOR_EACH = late_regex(r"-exec|-ok|\bxargs\b")
_WRONG = late_regex(
    r"error|cannot|not found|unexpected|invalid|must|unable|denied|timed out|usage:|\bno such", re.IGNORECASE
)
"""An answer with one of these does not show that the path is there."""
_Absent = Mapping[int, Sequence[str]]


def missing_paths(attempt: Attempt) -> dict[str, Any]:
    """`missing_paths` and `present_paths`: paths that the task names as given, when the agent first comes to them.

    Of a missing one: path, the part that is said to be absent, the item and the words that say it, whether nothing
    but such words is the answer that counts (that of the best-scored step, else the last), and whether a later call
    comes to the path without complaint. A path that the agent may have removed before is left out.
    """
    text = attempt.task_text
    paths = _given_paths(text) if "/" in text and attempt.answered else []
    if not paths:
        return {}
    first = [(call, arguments_text(call.step.arguments)) for call in attempt.answered[:FIRST_CALLS]]
    absent = {call.place: lines for call, command in first if (lines := _absent(attempt, call, command))}
    missing = [record for path in paths if (record := _record(path, first, absent))] if absent else []
    known = {record[0] for record in missing}
    present = [path for path in paths if path not in known and _is_there(path, first, absent)]
    if missing:
        only = int(_nothing_else(attempt, paths))
        missing = [[*record, only, int(_comes_back(attempt, record))] for record in missing]
    return {**({"missing_paths": missing} if missing else {}), **({"present_paths": present} if present else {})}


@lru_cache(maxsize=64)
def _given_paths(text: str) -> list[str]:
    """The paths of the task that it does not ask to make. Attempts at one task ask for the same."""
    given: dict[str, bool] = {}
    text = text[:_LONGEST_TASK]
    for match in _PATH.finditer(text):
        before = _SENTENCE.split(text[max(0, match.start() - _BEFORE) : match.start()])[-1]
        given[match.group()] = given.get(match.group(), True) and not _TO_BE_MADE.search(before)
    return [path for path, is_given in given.items() if is_given][:MOST_PATHS]


def _shown(path: str, line: str) -> str:
    """The path, or the longest folder that it lies in, that a line names; empty where it names none."""
    while path:
        if _names(path, line):
            return path
        path = path[: path.rfind("/")]
    return ""


def _names(path: str, line: str) -> bool:
    """Whether a line names a path, and not one that lies in it or only begins or ends alike."""
    at = line.find(path)
    while at >= 0:
        before, after = line[at - 1 : at] or " ", line[at + len(path) :].removeprefix("/")[:2]
        inside = (
            after[:1].isalnum() or after[:1] in {"_", "/", "*"} or (after[:1] in {".", "-"} and after[1:].isalnum())
        )
        if not inside and not (before.isalnum() or before in "_.-/"):
            return True
        at = line.find(path, at + 1)
    return False


def _absent(attempt: Attempt, call: Call, command: str) -> list[str]:
    """The lines of an answer that tell of something absent; none where the call itself holds such words."""
    if call.answer is None or not attempt.holds(call.answer, _HINTS) or _GONE.search(command):
        return []
    return [line for line in _answer_lines(call.answer) if _GONE.search(line)]


def _answer_lines(answer: Step) -> list[str]:
    return [line.strip() for line in answer.text[:_READ].split("\n") if line.strip()]


def _record(path: str, first: Sequence[tuple[Call, str]], absent: _Absent) -> list[Any] | None:
    """The first answer that says that a path is not there, unless it was seen before or may have been removed."""
    root = path[: path.find("/", 1)] if "/" in path[1:] else path
    for call, command in first:
        removes = _REMOVES.search(command) is not None
        for line in absent.get(call.place, ()):
            folder = _shown(path, line)
            if folder and call.answer is not None and (not removes or _is_of_remover(line, command)):
                return [path, folder, call.answer.item, clip(line, LONGEST)]
        seen = path in command and not call.failed and call.place not in absent
        if seen or (removes and (root in command or "/" not in command)):
            return None
    return None


def _is_of_remover(line: str, command: str) -> bool:
    """Whether the program that was to remove something says itself that it is not there."""
    return holds_any(line, _REMOVERS) and not ("find: " in line and _FOR_EACH.search(command))


def _is_there(path: str, first: Sequence[tuple[Call, str]], absent: _Absent) -> bool:
    """Whether the first call that names a path only looks at it, and goes well."""
    for call, command in first:
        if path in command:
            return not (call.failed or call.place in absent or _MAKES.search(f"{call.name} {command}"))
    return False


def _comes_back(attempt: Attempt, record: Sequence[Any]) -> bool:
    """Whether a later call names the path and gets an answer without a complaint: the agent may have made it."""
    return any(
        call.answer is not None
        and call.answer.item > record[2]
        and record[0] in arguments_text(call.step.arguments)
        and not call.failed
        and bool(text := call.answer.text[:_READ].strip())
        and not _WRONG.search(text)
        for call in attempt.answered
    )


def _nothing_else(attempt: Attempt, paths: Sequence[str]) -> bool:
    """Whether the answer that counts holds nothing but lines that say of a path of the task that it is not there."""
    best, calls = best_step(attempt), attempt.made
    counts = calls[best[0]] if best is not None and best[1] == len(calls) else attempt.answered[-1]
    lines = _answer_lines(counts.answer) if counts.answer is not None and len(counts.answer.text) <= _READ else []
    return bool(lines) and all(_GONE.search(line) and any(_shown(path, line) for path in paths) for line in lines)
