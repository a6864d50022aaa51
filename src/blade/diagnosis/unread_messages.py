"""What the last messages hold of which no answer was read: nothing, a whole program, or other text."""

from __future__ import annotations

import ast
import re
import warnings
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from blade.diagnosis.cases import Case
from blade.evidence import open_rows
from blade.extract.attempt import Attempt
from blade.late_regex import late_regex
from blade.model import Source

NOTHING, PROGRAM, TEXT = "nothing", "program", "text"
FEWEST_LINES = 5
LONGEST = 100_000
MOST_OPENED = 300
_FENCE = late_regex(r"^[ \t]*```.*$", re.MULTILINE)
_PARTS = (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.For, ast.While)
"""What a program has and a word or a list has not."""


def unread_messages(cases: Sequence[Case]) -> dict[str, Any] | None:
    """The tasks whose last message is empty, and those that hold a program; None where there is no such."""
    labels = {case.place: case.label for case in cases[:MOST_OPENED]}
    kinds: defaultdict[str, list[str]] = defaultdict(list)
    for at, row in open_rows(Source(*place) for place in labels):
        kinds[message_kind(Attempt(row).final_text)].append(labels[at.file, at.line, at.offset, at.length])
    if not kinds[PROGRAM]:
        return None
    return {"opened": sum(map(len, kinds.values())), NOTHING: kinds[NOTHING], PROGRAM: kinds[PROGRAM]}


def message_kind(text: str) -> str:
    """What a message holds, marks of code blocks aside."""
    blocks = [block for block in _FENCE.split(text[:LONGEST]) if block.strip()]
    if not blocks:
        return NOTHING
    return PROGRAM if any(map(_is_program, blocks)) else TEXT


def _is_program(block: str) -> bool:
    """Whether so many lines are Python that parses, with a part that only programs have."""
    if sum(bool(line.strip()) for line in block.splitlines()) < FEWEST_LINES:
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(block)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return any(isinstance(statement, _PARTS) for statement in tree.body)
