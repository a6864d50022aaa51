"""Investigation: what the rollouts of all runs show together, question by question."""

from __future__ import annotations

from blade.document import Block, Heading
from blade.model import Analysis
from blade.registry import plugins

TITLE = "Investigation"
ORDER = 40
SHARE = 0.72


def build(analysis: Analysis) -> list[Block]:
    questions = sorted(plugins("questions").items(), key=lambda pair: (pair[1].ORDER, pair[0]))
    blocks: list[Block] = []
    for name, question in questions:
        if name in analysis.investigation and not hasattr(question, "SECTION"):
            blocks += [Heading(question.TITLE), *question.tell(analysis.investigation[name])]
    return blocks
