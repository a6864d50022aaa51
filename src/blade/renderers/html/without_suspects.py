"""What the scores would be without the tasks that a health check doubts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from statistics import fmean

from blade.frozen import frozen
from blade.model import Analysis
from blade.renderers.html.matrix import SUSPECT
from blade.wording import count, difference, score

MOST_RUNS = 6


@frozen
class Without:
    """One line: the tasks left out, each run's score then and how far it moved, and the difference of the runs then."""

    words: str
    tasks: tuple[str, ...]
    scores: tuple[tuple[str, str], ...]
    between: str


def without_suspects(analysis: Analysis) -> list[Without]:
    """As scored, without each check's tasks, and without all of them; nothing where no task is doubted."""
    doubted: dict[str, set[str]] = {}
    unlisted: Counter[str] = Counter()
    for item in analysis.health:
        if item["check"] in SUSPECT and item["tasks"]:
            doubted.setdefault(item["check"], set()).update(item["tasks"])
            unlisted[item["check"]] += item["tasks_total"] - len(item["tasks"])
    if not doubted:
        return []
    lines = [("as scored", set[str]())]
    for check, tasks in sorted(doubted.items()):
        remainder = f" ({count(unlisted[check], 'more task')} left in)" if unlisted[check] else ""
        lines.append((f"without {check.replace('_', ' ')}{remainder}", tasks))
    if len(doubted) > 1:
        lines.append(("without all of these", set().union(*doubted.values())))
    return [_without(words, tasks, analysis) for words, tasks in lines]


def _without(words: str, tasks: Collection[str], analysis: Analysis) -> Without:
    runs = analysis.runs[:MOST_RUNS]
    scores: list[tuple[str, str]] = []
    means: list[float | None] = []
    for run in runs:
        then, now = _mean(analysis, run.name, tasks), _mean(analysis, run.name, ())
        moved = difference(then - now, run.scale) if tasks and then is not None and now is not None else ""
        scores.append((score(then, run.scale), moved))
        means.append(then)
    difference_text = ""
    if len(means) > 1 and means[0] is not None and means[-1] is not None:
        difference_text = difference(means[-1] - means[0], runs[0].scale)
    return Without(words, tuple(sorted(tasks)), tuple(scores), difference_text)


def _mean(analysis: Analysis, run: str, left_out: Collection[str]) -> float | None:
    means = [
        result.mean
        for task in analysis.tasks
        if task.task not in left_out and (result := task.runs.get(run)) is not None and result.mean is not None
    ]
    return fmean(means) if means else None
