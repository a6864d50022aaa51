"""Never-Pass Deep Dives: tasks that no attempt passes, told one by one: what was asked, done, and went wrong."""

from __future__ import annotations

from collections import Counter

from blade.diagnosis.story_words import stories_of, tell
from blade.document import Block, Heading, Paragraph, say
from blade.model import Analysis
from blade.wording import count, fact

TITLE = "Never-Pass Deep Dives"
ORDER = 80
SHARE = 0.00
FEW_RUNS = 2
MOST_ALIKE = 2


def build(analysis: Analysis) -> list[Block]:
    """One or two stories for each way of failing; with many runs a way is described once for all of them."""
    blocks: list[Block] = []
    described: Counter[str] = Counter()
    few_runs = len(analysis.runs) <= FEW_RUNS
    for run in analysis.runs:
        described = Counter() if few_runs else described
        chosen = []
        for story in stories_of(analysis, run.name, "never"):
            if described[story["mode"]] < (MOST_ALIKE if few_runs else 1):
                described[story["mode"]] += 1
                chosen.append(story)
        if not chosen:
            continue
        many = (run.buckets_evaluable or {}).get("never", 0)
        tasks = count(many, "task is", "tasks are")
        few = len(chosen) < many
        ways = "one or two for each failure mode" if few_runs else "each for a failure mode not described above"
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
