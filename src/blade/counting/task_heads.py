"""The first words of a task that are its own: what all prompts of a run begin with says nothing of any task."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from os.path import commonprefix

from blade.counting.run import Run
from blade.evidence import open_rows
from blade.extract.request import HEAD
from blade.extract.text import clip, squeeze
from blade.extract.transcript import prompt_steps
from blade.model import Source

FEWEST_TASKS = 3
MOST_OPENED = 500
MOSTLY = 0.5


def task_heads(run: Run, heads: Mapping[str, str]) -> dict[str, str]:
    """Task → its first words; where most tasks of a run begin alike, the words after what they have in common."""
    alike, tasks_alike = Counter(filter(None, heads.values())).most_common(1)[0] if any(heads.values()) else ("", 0)
    if tasks_alike < FEWEST_TASKS or tasks_alike <= MOSTLY * len(heads) or tasks_alike > MOST_OPENED:
        return dict(heads)
    texts = _texts(run, {task for task, head in heads.items() if head == alike})
    shared = commonprefix(sorted(set(texts.values())))  # noqa: RUF071 - texts, no paths
    begin = shared.rfind(" ") + 1
    own_heads = {task: f"… {clip(text[begin:], HEAD)}" for task, text in texts.items() if len(set(texts.values())) > 1}
    return {**heads, **own_heads}


def _texts(run: Run, tasks: set[str]) -> dict[str, str]:
    """The last user message of the first row of each task, in one line."""
    first = run.facts.group_by("task", maintain_order=True).first().select("task", "file", "line", "offset", "length")
    places = {
        Source(run.raw.sources[file], line, offset, length): task
        for task, file, line, offset, length in first.rows()
        if task in tasks
    }
    texts = {}
    for source, row in open_rows(places):
        steps = prompt_steps(row.get("responses_create_params"))
        text = next((squeeze(step.text) for step in reversed(steps) if step.role == "user" and step.text.strip()), "")
        if text:
            texts[places[source]] = text
    return texts
