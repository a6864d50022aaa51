"""Never-Pass Deep Dives: tasks that no attempt passes, told one by one: what was asked, done, and went wrong."""

from __future__ import annotations

from blade.diagnosis.story_words import stories_of, tell
from blade.document import Block, Heading, Paragraph, say
from blade.model import Analysis
from blade.wording import count, fact

TITLE = "Never-Pass Deep Dives"
ORDER = 80
SHARE = 0.00
FEW_RUNS = 2
MOST_ALIKE = 2
"""The short report keeps so many stories under headings that tell the same way of failing."""


def build(analysis: Analysis) -> list[Block]:
    """With many runs one story for each way of failing: a way that was described once is not described again."""
    blocks: list[Block] = []
    described: set[str] = set()
    few_runs = len(analysis.runs) <= FEW_RUNS
    for run in analysis.runs:
        chosen = []
        for story in stories_of(analysis, run.name, "never"):
            if few_runs or story["mode"] not in described:
                described.add(story["mode"])
                chosen.append(story)
        if not chosen:
            continue
        many = (run.buckets_evaluable or {}).get("never", 0)
        tasks = count(many, "task is", "tasks are")
        few = len(chosen) < many
        ways = "one for each failure mode first" if few_runs else "each for a failure mode not described above"
        shown = f"; {len(chosen)} described here, {ways}" if few else ""
        blocks.append(Heading(run.name))
        blocks.append(
            Paragraph(
                (
                    say(
                        "{tasks} passed in no attempt{shown}.",
                        tasks=fact(tasks, many, "runs", run.name, "buckets_evaluable", "never"),
                        shown=shown,
                    ),
                )
            )
        )
        blocks += tell(analysis, chosen)
    return blocks
