"""The table of tasks over all runs: one line per task, whatever the runs call it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from blade.counting.align import Alignment
from blade.counting.measure import Measured
from blade.counting.run import Run
from blade.counting.task_heads import task_heads
from blade.model import Task


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
