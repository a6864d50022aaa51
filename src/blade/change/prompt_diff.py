"""The lines in which the prompts of two runs differ, out of one row of each."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from difflib import ndiff
from typing import Any

import polars as pl

from blade.counting.align import Alignment
from blade.counting.run import Run
from blade.evidence import open_rows
from blade.extract.text import clean, clip
from blade.extract.transcript import prompt_steps
from blade.model import Source

MOST_LINES = 6
LONGEST_LINE = 200
SPACE = 32
_WORD = re.compile(r"\w+")
LONGEST_PROMPT = 60_000
"""A longer prompt is not compared line by line."""


def prompt_diff(base: Run, candidate: Run) -> dict[str, Any] | None:
    """`removed` and `added` lines, the first of each, and how many there are; None where a prompt cannot be opened."""
    return _diff([_usual_prompt(run) for run in (base, candidate)])


def task_prompt_diff(base: Run, candidate: Run, alignment: Alignment) -> dict[str, Any] | None:
    """The same of the whole prompts of one common task: what stands around the words of the task in both."""
    shared = sorted(task for task in candidate.facts["task"].unique().to_list() if task in alignment.same)
    if not shared:
        return None
    tasks = ((base, alignment.same[shared[0]]), (candidate, shared[0]))
    return _diff([_prompt(run, run.facts.filter(pl.col("task") == task)) for run, task in tasks])


def _diff(prompts: Sequence[str]) -> dict[str, Any] | None:
    if not all(prompts) or any(len(prompt) > LONGEST_PROMPT for prompt in prompts):
        return None
    before, after = ([_visible_line(line) for line in prompt.split("\n")] for prompt in prompts)
    lines = [line for line in ndiff(before, after) if line[:2] in {"- ", "+ "} and line[2:].strip()]
    removed, added = ([line[2:].strip() for line in lines if line[0] == sign] for sign in "-+")
    return {
        "removed": _newest(removed, after),
        "added": _newest(added, before),
        "removed_lines": len(removed),
        "added_lines": len(added),
    }


def _newest(lines: Sequence[str], other_lines: Sequence[str]) -> list[str]:
    """The lines with the most words that the other prompt has nowhere, in their order: other words are no news."""
    other_words = {word for line in other_lines for word in _WORD.findall(line.lower())}
    news = [len(set(_WORD.findall(line.lower())) - other_words) for line in lines]
    newest_places = sorted(range(len(lines)), key=lambda place: (-news[place], place))[:MOST_LINES]
    return [clip(lines[place], LONGEST_LINE) for place in sorted(newest_places)]


def _usual_prompt(run: Run) -> str:
    """The system prompt that most rows have."""
    prompted_rows = run.facts.filter(pl.col("system_hash").is_not_null())
    if prompted_rows.is_empty():
        return ""
    usual = prompted_rows["system_hash"].mode().sort()[0]
    return _prompt(run, prompted_rows.filter(pl.col("system_hash") == usual), frozenset({"system", "developer"}))


def _prompt(run: Run, facts: pl.DataFrame, roles: Collection[str] = ()) -> str:
    """The prompt of the first of some rows; of all roles where none is named."""
    if facts.is_empty():
        return ""
    place = facts.select("file", "line", "offset", "length").row(0)
    for _, row in open_rows([Source(run.raw.sources[place[0]], *place[1:])]):
        steps = prompt_steps(row.get("responses_create_params"))
        return "\n".join(step.text for step in steps if not roles or step.role in roles)
    return ""


def _visible_line(line: str) -> str:
    """A line with its control characters as their escapes: what was damaged on the way is seen."""
    return clean("".join(repr(mark)[1:-1] if ord(mark) < SPACE and mark != "\t" else mark for mark in line))
