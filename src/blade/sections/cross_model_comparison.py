"""Cross-Model Comparison: several runs on the same tasks, ranked as far as the data can tell them apart."""

from __future__ import annotations

from blade.document import Block, Fact, Heading, Paragraph, Table, say
from blade.model import Analysis, Task
from blade.wording import count, fact, name, percent, score

TITLE = "Cross-Model Comparison"
ORDER = 90
TASKS_SHOWN = 15


def build(analysis: Analysis) -> list[Block]:
    """Appears from two runs on, where tasks are shared."""
    shared = [task for task in analysis.tasks if len(task.runs) == len(analysis.runs) > 1]
    if not shared:
        return []
    blocks: list[Block] = []
    if analysis.ranking is not None and len(analysis.runs) > 2:
        blocks += _ranking(analysis)
    blocks += [Heading("Tasks on which the runs differ most"), _matrix(analysis, shared)]
    return blocks


def _ranking(analysis: Analysis) -> list[Block]:
    ranking = analysis.ranking or {}
    rows: list[tuple[str | Fact, ...]] = []
    scale = analysis.runs[0].scale
    order = sorted(range(len(ranking["runs"])), key=lambda place: -ranking["scores"][place])
    for place in order:
        low, high = ranking["ranks"][place]
        rows.append(
            (
                name(ranking["runs"][place]),
                fact(score(ranking["scores"][place], scale), ranking["scores"][place], "ranking", "scores", place),
                f"{low}" if low == high else f"{low} to {high}",
                percent(ranking["best"][place], 0),
            ),
        )
    told = say(
        "On {tasks} that all runs share; ranks are those that no simultaneous 95% comparison rules out.",
        tasks=fact(count(ranking["tasks"], "task"), ranking["tasks"], "ranking", "tasks"),
    )
    return [Paragraph((told,)), Table(("Run", ">Score", ">Rank", ">Chance of being best"), tuple(rows))]


def _matrix(analysis: Analysis, shared: list[Task]) -> Table:
    runs = [run.name for run in analysis.runs]
    ordered = sorted(shared, key=lambda task: (-_spread(task), task.task))[:TASKS_SHOWN]
    rows = tuple((name(task.task), *(_cell(task, run) for run in runs)) for task in ordered if _spread(task) > 0)
    return Table(("Task", *(f">{run}" for run in runs)), rows)


def _spread(task: Task) -> float:
    means = [result.mean for result in task.runs.values() if result.mean is not None]
    return max(means) - min(means) if len(means) > 1 else 0.0


def _cell(task: Task, run: str) -> str | Fact:
    result = task.runs[run]
    if result.mean is None:
        return "missing"
    if result.passes is None:
        return fact(f"{result.mean:.3g}", result.mean, "tasks", task.task, "runs", run, "mean")
    return fact(f"{result.passes} of {result.attempts}", result.passes, "tasks", task.task, "runs", run, "passes")
