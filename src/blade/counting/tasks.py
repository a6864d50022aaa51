"""The table of tasks over all runs: one line per task, whatever the runs call it.

Its first words are those that are the task's own: what all prompts of a run begin with says nothing of any task.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from os.path import commonprefix
from typing import Any

from blade.counting.align import Alignment
from blade.counting.measure import Measured
from blade.counting.run import Run
from blade.evidence import open_rows
from blade.extract.request import HEAD
from blade.extract.text import clip, squeeze
from blade.extract.transcript import prompt_steps
from blade.model import Source, Task

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


def task_table(runs: Sequence[Run], measured: Sequence[Measured], alignments: Sequence[Alignment]) -> tuple[Task, ...]:
    """One line per task, called as the first run that has rows of it calls it; a clash is told apart by the run."""
    entries: dict[str, dict[str, Any]] = {}
    for place, (run, item) in enumerate(zip(runs, measured, strict=True)):
        first_rows = _first_rows(run)
        labels = {label for label, _, _ in first_rows.values()}
        for task, result in item.results.items():
            key = alignments[place - 1].key(task) if place else task
            entry = entries.setdefault(key, {"slices": {}, "runs": {}, "called": {}})
            if task in first_rows:
                entry["called"][run.name] = first_rows[task][0]
                entry.setdefault("seen", (run.name, *first_rows[task]))
            entry.setdefault("unseen", (run.name, f"task {task}" if task in labels else task, "index", ""))
            entry["slices"] = {**item.slices.get(task, {}), **entry["slices"]}
            entry["runs"][run.name] = result
    rows: dict[str, dict[str, Any]] = {}
    for entry in entries.values():
        run_name, name, entry["source"], entry["text"] = entry.get("seen", entry["unseen"])
        rows[name if name not in rows else f"{name} ({run_name})"] = entry
    if len(runs) > 1:
        _say_how(rows, alignments)
    return tuple(
        Task(name, entry["source"], entry["slices"], entry["runs"], entry["text"], entry["called"])
        for name, entry in sorted(rows.items(), key=lambda pair: natural(pair[0]))
    )


def natural(name: str) -> tuple[int, int, str]:
    """Numbers in their own order, before words."""
    return (0, int(name), "") if name.isdecimal() and len(name) < 18 else (1, 0, name)


def _first_rows(run: Run) -> dict[str, tuple[str, str, str]]:
    """Task → what people call it, where its key came from, and its first words."""
    first = run.facts.group_by("task", maintain_order=True).first().select("task", "label", "key_source", "text_head")
    rows = first.rows()
    heads = task_heads(run, {task: text or "" for task, _, _, text in rows})
    return {
        task: (label, "domain_id" if run.id_field is not None else source, heads[task])
        for task, label, source, _ in rows
    }


def _say_how(rows: dict[str, dict[str, Any]], alignments: Sequence[Alignment]) -> None:
    """A task that several runs share is known by the rule that joined them."""
    rules = {item.rule for item in alignments if item.rule != "none"}
    if len(rules) == 1:
        rule = rules.pop()
        for entry in rows.values():
            if len(entry["runs"]) > 1:
                entry["source"] = rule
