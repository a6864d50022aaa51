"""A real analysis varied by hand, and the words that sections make of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from blade.document import Block, Bullets, Heading, Paragraph, Picture, Quote, Table
from blade.model import Analysis, Part


def lines(blocks: Sequence[Block]) -> list[str]:
    """Every paragraph, bullet, heading, quote and table row as a line."""
    told: list[str] = []
    for block in blocks:
        if isinstance(block, Table):
            told += [" | ".join(cell if isinstance(cell, str) else cell.text for cell in row) for row in block.rows]
        elif isinstance(block, Bullets):
            told += [" ".join(one.text for one in item.sentences) for item in block.items]
        elif isinstance(block, Paragraph):
            told.append(" ".join(one.text for one in block.sentences))
        elif isinstance(block, Heading | Quote):
            told.append(block.text)
        else:
            assert isinstance(block, Picture)
    return told


def named(many: int) -> tuple[Part, ...]:
    return tuple(Part(f"cause_{n}", None, -0.01 * (many - n), None, "identified", True, (), 1) for n in range(many))


def changed(analysis: Analysis, **fields: Any) -> Analysis:
    (change,) = analysis.changes
    return replace(analysis, changes=(replace(change, **fields),))


def more_runs(analysis: Analysis, names: str) -> Analysis:
    """The last run again under other names, in its tasks and modes too."""
    last = analysis.runs[-1]
    runs = tuple(replace(last, name=name) for name in names)
    modes = tuple(replace(mode, runs={run.name: mode.runs[last.name] for run in runs}) for mode in analysis.modes)
    tasks = tuple(replace(task, runs={run.name: task.runs[last.name] for run in runs}) for task in analysis.tasks)
    return replace(analysis, runs=runs, modes=modes, tasks=tasks, changes=(), ranking=None, funnel=())


def only(analysis: Analysis, **fields: Any) -> Analysis:
    """The first run alone, changed."""
    return replace(analysis, runs=(replace(analysis.runs[0], **fields),), changes=(), identity=())
