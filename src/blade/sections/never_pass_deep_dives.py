"""Never-Pass Deep Dives: tasks that no attempt passes, told one by one: what was asked, done, and went wrong."""

from __future__ import annotations

from blade.diagnosis.telling import tell
from blade.document import Block, Heading, Paragraph, say
from blade.model import Analysis
from blade.wording import count, fact

TITLE = "Never-Pass Deep Dives"
ORDER = 80


def build(analysis: Analysis) -> list[Block]:
    blocks: list[Block] = []
    for run in analysis.runs:
        stories = tell(analysis, run.name, "never")
        if not stories:
            continue
        many = (run.buckets_evaluable or {}).get("never", 0)
        told = sum(isinstance(block, Heading) for block in stories)
        blocks.append(Heading(run.name))
        blocks.append(
            Paragraph(
                (
                    say(
                        "{tasks} passed by no attempt{shown}.",
                        tasks=fact(
                            count(many, "task is", "tasks are"), many, "runs", run.name, "buckets_evaluable", "never"
                        ),
                        shown="" if told >= many else f"; {told} are told, one for each way of failing first",
                    ),
                )
            )
        )
        blocks += stories
    return blocks
