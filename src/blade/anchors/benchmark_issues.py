"""Findings about the benchmark itself: its verifier and its data. They are tested where they are found."""

from __future__ import annotations

from collections.abc import Iterator

from blade.anchors.candidate import MECHANISM, Candidate, about, task_entity
from blade.anchors.table import RolloutTable
from blade.model import Analysis
from blade.wording import printable

TOLD_BY_THE_SIDECAR = {"saturation"}
DATA = {"repeated_tasks", "summary_files", "outage_window"}


def issue_facts(table: RolloutTable, analysis: Analysis) -> Iterator[Candidate]:
    for item in analysis.health:
        if item["check"] in TOLD_BY_THE_SIDECAR or item["run"] not in {None, table.run}:
            continue
        tasks = [printable(str(task)) for task in item["tasks"]]
        examples = tasks[:2] if len(tasks) <= 3 else []
        words = str(item["check"]).replace("_", " ")
        yield Candidate(
            "data" if item["check"] in DATA else "verifier",
            MECHANISM,
            printable(str(item["statement"])),
            about(
                {"run": table.run, "check": item["check"], "task": tasks[:10]},
                *(task_entity(task) for task in examples),
                topic=(words,),
                share=max(1, item["tasks_total"]) / max(1, len(table.tasks)),
            ),
            "tasks",
            "==",
            item["tasks_total"],
            citations=tuple(item["evidence"][:3]),
            causal=1,
        )
