"""Values of the tasks in an order: numbers of their fields, dates, and the length of the prompt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date

from blade.counting.slices import VARIES, task_numbers
from blade.diagnosis.cases import Case, RunCases

REPEATED = 0.5
"""So many of the tasks have several rollouts: that a number is one for all of them shows that it is the task's."""
ONE_TEXT = 0.95
DATE, NUMBER, LENGTH = "date", "number", "length"
PROMPT = "the length of the prompt"


def task_values(runs: Sequence[RunCases]) -> dict[tuple[str, str], dict[str, float]]:
    """Kind and field → the value of each task; without fields that differ between the rollouts of several tasks."""
    values: dict[tuple[str, str], dict[str, set[float]]] = {}
    rollouts: dict[str, int] = {}
    for run in runs:
        keys = dict(zip(run.run.graded["task"].to_list(), (case.key for case in run.cases), strict=True))
        for field, numbers in task_numbers(run.run).items():
            for task, value in numbers.items():
                if task in keys:
                    values.setdefault((NUMBER, field), {}).setdefault(keys[task], set()).add(value)
        for case in run.cases:
            rollouts[case.key] = rollouts.get(case.key, 0) + 1
            for kind, field, value in _recorded(case):
                values.setdefault((kind, field), {}).setdefault(case.key, set()).add(value)
    repeated = sum(several > 1 for several in rollouts.values()) >= REPEATED * len(rollouts)
    return {
        (kind, field): {key: min(of_task) for key, of_task in tasks.items() if len(of_task) == 1}
        for (kind, field), tasks in values.items()
        if (repeated or kind != NUMBER)
        and sum(len(of_task) > 1 for of_task in tasks.values())
        <= (1 - ONE_TEXT if kind == LENGTH else VARIES) * len(tasks)
    }


def _recorded(case: Case) -> Iterator[tuple[str, str, float]]:
    properties = case.observed.get("task", {})
    if properties.get("prompt"):
        yield LENGTH, PROMPT, properties["prompt"]
    for field, day in properties.get("dates", {}).items():
        if ordinal := _ordinal(day):
            yield DATE, field, ordinal


def _ordinal(day: str) -> int:
    """The number of a day; 0 where there is no such day."""
    try:
        return date.fromisoformat(day).toordinal()
    except ValueError:
        return 0


def written_value(value: float, kind: str) -> str:
    if kind == DATE:
        return date.fromordinal(int(value)).isoformat()
    return f"{value:,g}" if kind == NUMBER else f"{value:,.0f}"
