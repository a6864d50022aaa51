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
        stories = []
        for story in stories_of(analysis, run.name, "never"):
            if few_runs or story["mode"] not in described:
                described.add(story["mode"])
                stories.append(story)
        if not stories:
            continue
        blocks.append(Heading(run.name))
        if run.buckets_evaluable is None:
            tasks = count(len(stories), "task without one is", "tasks without one are")
            text = "No pass threshold is declared, so a full score counts as a pass here; {tasks} told."
            blocks += [Paragraph((say(text, tasks=tasks),)), *tell(analysis, stories)]
            continue
        never_tasks = run.buckets_evaluable.get("never", 0)
        tasks = count(never_tasks, "task is", "tasks are")
        only_some = len(stories) < never_tasks
        extent = "chosen to show different failure modes" if few_runs else "each for a failure mode not described above"
        if len(stories) == 1:
            extent = extent.removeprefix("chosen to show different failure modes").removeprefix("each ")
        shown_words = (
            f"; {', '.join(filter(None, (count(len(stories), 'is described here', 'are described here'), extent)))}"
            if only_some
            else ""
        )
        blocks.append(
            Paragraph(
                (
                    say(
                        "{tasks} passed in no attempt{shown}.",
                        tasks=fact(tasks, never_tasks, "runs", run.name, "buckets_evaluable", "never"),
                        shown=shown_words,
                    ),
                )
            )
        )
        blocks += tell(analysis, stories)
    return blocks
