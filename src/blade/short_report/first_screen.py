"""The first screen: what every surface shows before all else, the table of runs and at most ten claims."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from blade.document import Block, Bullets, Heading, Picture, Report, Section
from blade.run_names import short_names
from blade.short_report.lists import shorter, without_lists
from blade.short_report.shortened_names import explained, with_short_names
from blade.task_names import short_task_names


def first_screen(report: Report, runs: Sequence[str], tasks: Sequence[str] = ()) -> tuple[Block, ...]:
    """The summary up to its first heading, in the words that Markdown, HTML and the terminal share."""
    if not report.sections:
        return ()
    names = short_names(runs)
    claims = replace(report.sections[0], blocks=tuple(claims_of(report.sections[0])))
    return explained(with_short_names(claims, names, short_task_names(tasks)), names).blocks


def claims_of(summary: Section) -> list[Block]:
    """The blocks of a summary before its first heading, with the claims cut to counts."""
    blocks: list[Block] = []
    for block in summary.blocks:
        if isinstance(block, Heading):
            break
        if isinstance(block, Bullets):
            blocks.append(Bullets(tuple(without_lists(item) for item in block.items)))
        elif not isinstance(block, Picture):
            blocks.append(block)
    return [shorter(block) for block in blocks]


def rest_of(summary: Section) -> list[Block]:
    """What folds: the summary from its first heading on."""
    places = [place for place, block in enumerate(summary.blocks) if isinstance(block, Heading)]
    return [shorter(block) for block in summary.blocks[places[0] :]] if places else []
