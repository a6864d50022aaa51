"""What is asked of all rollouts together: one question per file.

A question is a module with a TITLE, an ORDER, `ask(runs)`, which returns plain data for analysis.json or None where
there is nothing to say, and `tell(answer)`, which words that data. Nothing is said of rollouts that did not happen or
were not judged, and a pattern is told with its count in passes and in failures.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from blade.diagnosis.cases import Case, RunCases
from blade.wording import abridged

MOST_TASKS = 12


def judged(run: RunCases) -> list[Case]:
    """The rollouts of a run that say something about the model: they ran, were judged, and passed or failed."""
    return [case for case in run.cases if case.evaluable and case.stage_lost is None and case.passed is not None]


def task_list(labels: Iterable[str], most: int = MOST_TASKS) -> str:
    """Task names in order, numbers by value: "3, 14 and 2 more"."""
    names = sorted(set(labels), key=lambda label: (0, int(label), "") if label.isdecimal() else (1, 0, label))
    return abridged(names, most)


def by_task(cases: Sequence[Case]) -> dict[str, list[Case]]:
    """The rollouts by the key that their task has in all runs."""
    grouped: dict[str, list[Case]] = {}
    for case in cases:
        grouped.setdefault(case.key, []).append(case)
    return grouped
