"""The lines in which the system prompts of two runs differ, out of one row of each."""

from __future__ import annotations

from difflib import ndiff
from typing import Any

import polars as pl

from blade.counting.run import Run
from blade.evidence import open_rows
from blade.extract.text import clean, clip
from blade.extract.transcript import prompt_steps
from blade.model import Source

MOST_LINES = 6
LONGEST_LINE = 200
LONGEST_PROMPT = 60_000
"""A longer prompt is not compared line by line."""


def prompt_diff(base: Run, candidate: Run) -> dict[str, Any] | None:
    """`removed` and `added` lines, the first of each, and how many there are; None where a prompt cannot be opened."""
    prompts = [_usual_prompt(run) for run in (base, candidate)]
    if not all(prompts) or any(len(prompt) > LONGEST_PROMPT for prompt in prompts):
        return None
    before, after = (prompt.splitlines() for prompt in prompts)
    lines = [line for line in ndiff(before, after) if line[:2] in {"- ", "+ "} and line[2:].strip()]
    removed, added = ([clip(line[2:].strip(), LONGEST_LINE) for line in lines if line[0] == sign] for sign in "-+")
    return {
        "removed": removed[:MOST_LINES],
        "added": added[:MOST_LINES],
        "removed_lines": len(removed),
        "added_lines": len(added),
    }


def _usual_prompt(run: Run) -> str:
    """The system prompt that most rows have."""
    known = run.facts.filter(pl.col("system_hash").is_not_null())
    if known.is_empty():
        return ""
    usual = known["system_hash"].mode().sort()[0]
    place = known.filter(pl.col("system_hash") == usual).select("file", "line", "offset", "length").row(0)
    source = Source(run.raw.sources[place[0]], *place[1:])
    for _, row in open_rows([source]):
        steps = prompt_steps(row.get("responses_create_params"))
        return clean("\n".join(step.text for step in steps if step.role in {"system", "developer"}))
    return ""
