"""Screens on which the command that hands the task to the agent is answered by the shell or the loader alone.

Where a run keeps only what stood on the screen, no turn of the model shows whether its agent started. A shell that
cannot find a program and a loader that misses a module say so in words of their own, right behind the command that
quotes the task: nothing was done in between.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from blade.counting.audit.recurring import Lines, SharedLine, lines_told
from blade.evidence import open_rows
from blade.extract.prefilter import holds_any
from blade.extract.transcript import output_steps, prompt_steps
from blade.frozen import frozen
from blade.late_regex import late_regex
from blade.model import Source
from blade.signatures import template

COMPLAINT = late_regex(
    r": (?:command )?not found\s*$|: No such file or directory|: Permission denied|: cannot execute|Exec format error"
    r"|\bNo module named\b|\b(?:ModuleNotFound|Import)Error\b|error while loading shared libraries|Cannot find module"
    r"|No space left on device|is not recognized as (?:an internal|the name)",
    re.MULTILINE,
)
"""What shells and loaders say of a program that they cannot run."""
_WORDS = (
    *("not found", "No such file", "Permission denied", "cannot execute", "Exec format", "No module named"),
    *("NotFoundError", "ImportError", "loading shared libraries", "Cannot find module", "No space left"),
    "is not recognized as",
)
"""A complaint holds one of these."""
QUOTED = 30
"""So many letters at the end of the task's text, within a command, are that text."""
REST = 80
"""Letters of the command that may stand behind it."""
LONGEST = 6
"""Lines behind the command: a complaint is short, a log of an agent is not."""
SCREEN = 20_000
SHOWN = 60
_LETTERS = late_regex(r"[^\W_]")
_PROMPT = late_regex(r"(?:\([^()\s]{1,40}\) )?[\w.-]{1,40}@[\w.-]{1,80}:\S{0,200}[#$%]|(?:ba|z|da)?sh-\d\.\d+[$#]")
Row = Mapping[str, Any]
Opened = Callable[[Sequence[int]], Mapping[int, Source]]


@frozen
class FailedLaunches:
    """The rows whose agent could not be started, and what the shell says of it."""

    places: frozenset[int] = frozenset()
    lines: tuple[SharedLine, ...] = ()


def failed_launches(
    rows: Sequence[Row], screens: Sequence[int], refused_starts: Sequence[int], opened: Opened
) -> FailedLaunches:
    """Of failed rows that hold a screen alone, those on which the start of the agent is refused.

    `said` are rows whose own field says that the agent was not installed: their screens are quoted, too. Where rows
    that passed show the same, the complaint did not keep the agent from working, and nothing is told.
    """
    refused = _refused(opened(screens))
    if refused and _refused(opened([place for place, row in enumerate(rows) if row["passed"]][:SHOWN])):
        refused = {}
    tasks = {place: row["task"] for place, row in enumerate(rows)}
    opened_rows = opened(sorted({*refused, *refused_starts}))
    return FailedLaunches(frozenset(refused), lines_told(opened_rows, tasks, _last_complaint))


def _refused(sources: Mapping[int, Source]) -> dict[int, Source]:
    place_of = {source: place for place, source in sources.items()}
    return {place_of[source]: source for source, row in open_rows(sources.values()) if _start_refused(row)}


def _start_refused(row: dict[str, Any]) -> bool:
    """Whether nothing but a complaint stands behind the command that quotes the task."""
    if not holds_any(_screen(row), _WORDS):
        return False
    lines = lines_behind_start(row)
    return 0 < len(lines) <= LONGEST and COMPLAINT.search("\n".join(lines)) is not None


def lines_behind_start(row: dict[str, Any]) -> list[str]:
    """What stands on the screen behind the command that quotes the task, prompts of the shell left out."""
    task = next((step.text for step in reversed(prompt_steps(row.get("responses_create_params")))), "")
    quoted_words = _LETTERS.findall(task)[-QUOTED:]
    if len(quoted_words) < QUOTED:
        return []
    screen = _screen(row)
    ends = [match.end() for match in re.finditer(r"[\W_]*".join(quoted_words), screen)]
    if not ends:
        return []
    first, *behind = screen[ends[-1] :].split("\n")
    lines = [line.strip() for line in behind if line.strip() and not _PROMPT.fullmatch(line.strip())]
    return lines if len(first) <= REST else []


def _screen(row: dict[str, Any]) -> str:
    return "\n".join(step.text for step in output_steps(row.get("response")))[-SCREEN:]


def _last_complaint(row: dict[str, Any]) -> Lines:
    """The last line on the screen that complains, and where it stands."""
    for step in reversed(output_steps(row.get("response"))):
        for match in reversed(list(re.finditer(r"[^\n]+", step.text))):
            line = match.group().strip()
            if COMPLAINT.search(line):
                start = step.start + match.start() + match.group().index(line)
                return {template(line): (line, step.item, "text", start)}
    return {}
