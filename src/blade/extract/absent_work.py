"""Work that is claimed to be done and is not there: the verifier finds no such file, service or program that parses.

A look at the result would have shown it, so this tells how the work was handed in, not what the model knows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.own_claims import SUCCESS, said
from blade.extract.prefilter import may_hold
from blade.extract.stages import handed_in
from blade.extract.text import clip
from blade.extract.transcript import arguments_text
from blade.late_regex import late_regex

LONGEST = 160
LONGEST_LINE = 400
_HINTS = ("not", "syntaxerror", "indentationerror")
_ABSENT = late_regex(
    r"\b(?:AssertionError|FileNotFoundError|Failed): (.{0,200}?\b(?:does not exist|doesn'?t exist|not found(?! in\b)|"
    r"No such file or directory|(?:is|are) not (?:running|responding|listening|reachable)).*)"
)
"""A check that finds nothing to check. "Not found in" speaks of what stands inside a thing that is there."""
_NOT_INSIDE = late_regex(r"\bAssertionError: (.{0,200}?\bnot found in\b.*)")
"""It is an absence all the same where the thing has a name, and the task gives it and the place it was to stand in."""
FEWEST_NAMED = 2
_NAMED = late_regex(r"[\"'`]([^\"'`\n]{2,100})[\"'`]|(/[\w./-]+\w)")
_WORD = late_regex(r"[A-Za-z]{4,}")
_GENERAL = frozenset(
    "file files directory folder output result results exist exists does found such running responding process test "
    "tests check with from that this expected should error path errno after before assert".split()
)
_UNPARSED = late_regex(r"\b(?:SyntaxError|IndentationError|TabError)\b")
_FRAME = late_regex(r"File \"([^\"\n]+)\", line \d+")
NEAR = 6
"""Lines between the file that does not parse and the error."""


def absent_work(attempt: Attempt) -> dict[str, Any]:
    """Under `absent` what the verifier says, where the work was handed in with a claim of success."""
    if not attempt.calls or not attempt.lost or attempt.final is None or said(attempt.final, SUCCESS) is None:
        return {}
    if not (attempt.ends_by_itself or handed_in(attempt)):
        return {}
    line = next(_absence_lines(attempt), None)
    return {"absent": clip(line, LONGEST)} if line else {}


def _absence_lines(attempt: Attempt) -> Iterator[str]:
    for text in attempt.texts():
        if "\n" not in text.text or not may_hold(text.text, _HINTS):
            continue
        lines = text.text.split("\n")
        for place, line in enumerate(lines):
            if len(line) > LONGEST_LINE:
                continue
            absence = _ABSENT.search(line)
            missing_inside = _NOT_INSIDE.search(line) if absence is None else None
            if absence and _asked_for(absence.group(1), attempt.task_text):
                yield absence.group(1).strip()
            elif (
                missing_inside
                and len(_names(missing_inside.group(1))) >= FEWEST_NAMED
                and _asked_for(missing_inside.group(1), attempt.task_text)
            ):
                yield missing_inside.group(1).strip()
            elif _UNPARSED.search(line) and (file := _own_file(lines[max(place - NEAR, 0) : place + 1], attempt)):
                yield f"{file} does not parse"


def _asked_for(message: str, task: str) -> bool:
    """Whether the task names what is missing: every name in the message, or one of its words where it gives no name."""
    low = task.lower()
    if names := _names(message):
        return all(name.rstrip("/").rsplit("/", 1)[-1].lower() in low for name in names)
    telling = [word.lower() for word in _WORD.findall(message) if word.lower() not in _GENERAL]
    return any(word in low for word in telling)


def _names(message: str) -> list[str]:
    """What a message calls by its name."""
    return [quoted or path for quoted, path in _NAMED.findall(message)]


def _own_file(lines: list[str], attempt: Attempt) -> str | None:
    """The file of the last frame, where the rollout's own calls name it."""
    frames = [frame for line in lines for frame in _FRAME.findall(line)]
    name = frames[-1].rsplit("/", 1)[-1] if frames else ""
    return name if name and any(name in arguments_text(call.step.arguments) for call in attempt.calls) else None
