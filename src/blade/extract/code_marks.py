"""What the code and the arguments of calls are made of: functions called, arguments set, kinds of statements, options.

An agent that writes code does with it what others do by choosing a tool: `datetime.now()`, `mark_read=False`, a loop
over pages, an `except` that passes. Which of these go with passing is asked of all rollouts together.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.calls import Call
from blade.late_regex import late_regex

MOST, LONGEST, LONGEST_CODE = 120, 48, 8_000
SHORTEST_CODE = 12
_CALLED = late_regex(r"((?:[A-Za-z_]\w*\.)?[A-Za-z_]\w*)\(")
_SET = late_regex(
    r"[(,]\s*([A-Za-z_]\w*)\s*=\s*(True|False|None|true|false|null|-?\d+(?:\.\d+)?|'[^'\s]{0,20}'|\"[^\"\s]{0,20}\")"
)
_STATEMENT = late_regex(
    r"(?m)^[ \t]*(while|for|try|except|break|continue|pass|with|if|elif|else|return|raise|assert)\b"
)
_IMPORTED = late_regex(r"^[ \t]*(?:from|import)[ \t]+([A-Za-z_][\w.]*)", re.MULTILINE)
_OPTION = late_regex(r"(?<!\S)(--[a-z][\w-]+)")
_PLAIN = (bool, int, type(None))


def code_marks(attempt: Attempt) -> dict[str, Any]:
    """`code_marks`: each mark once, in order of its first; nothing where no call holds code or plain values."""
    marks: dict[str, None] = {}
    for call in attempt.calls:
        for mark in _marks(call):
            if len(mark) <= LONGEST:
                marks[mark] = None
        if len(marks) >= MOST:
            break
    return {"code_marks": list(marks)[:MOST]} if marks else {}


def _marks(call: Call) -> Iterator[str]:
    arguments = call.arguments
    if isinstance(arguments, dict):
        for name, value in arguments.items():
            if isinstance(value, str):
                yield from _of_code(value) if len(value) >= SHORTEST_CODE else ()
            elif isinstance(value, _PLAIN):
                yield f"{call.name}: {name}={value}"
    elif isinstance(arguments, str) and len(arguments) >= SHORTEST_CODE:
        yield from _of_code(arguments)


def _of_code(text: str) -> Iterator[str]:
    """The marks of a program or a command line; prose has none but by accident."""
    text = text[:LONGEST_CODE]
    if "(" in text:
        for match in _CALLED.finditer(text):
            yield f"{match[1]}()"
        for match in _SET.finditer(text):
            yield f"{match[1]}={match[2]}"
    if "\n" in text:
        yield from _STATEMENT.findall(text)
        for name in _IMPORTED.findall(text):
            yield f"import {name}"
    if "--" in text:
        yield from _OPTION.findall(text)
