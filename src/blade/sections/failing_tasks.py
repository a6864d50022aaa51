"""Failing Tasks: what the record shows of each, in a line; the deep dives after it tell some of them at length."""

from __future__ import annotations

from blade.document import Block
from blade.model import Analysis
from blade.registry import plugins

TITLE = "Failing Tasks"
ORDER = 65
SHARE = 0.0
QUESTION = "failing_tasks"


def build(analysis: Analysis) -> list[Block]:
    answer = analysis.investigation.get(QUESTION)
    return [] if answer is None else list(plugins("questions")[QUESTION].tell(answer))
