"""Do tasks with a higher number pass less often, or more often?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import erfc, fsum, sqrt
from typing import Any

from blade.diagnosis.cases import RunCases
from blade.document import Block, Paragraph, Sentence, say
from blade.late_regex import late_regex
from blade.questions import judged, task_levels
from blade.stats.health import order_trend
from blade.stats.multiple import benjamini_hochberg
from blade.stats.rounding import WRITTEN, significant
from blade.wording import count, fact, percent

TITLE = "Numbers of tasks and their pass rates"
ORDER = 63
WEIGHT = 0.7
FEWEST_TASKS = 30
COVERS = 0.8
"""A run counts where it judged so large a share of the tasks of one name."""
SURE = 0.005
APART = 0.15
"""The pass rates of the first and the last third lie so far apart."""
MOST_LEVELS = 0.2
"""A field with more levels, in parts of the tasks, names single tasks."""
STILL_SURE = 0.05
MOST = 3
_NUMBERED = late_regex(r"(.*?)(\d{1,9})\D*")

Rates = dict[str, dict[tuple[int, str], float]]
"""Run → number and name of a task → its pass rate."""


Levels = Mapping[str, Mapping[str, str]]
"""Task → field → its level there."""


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Names of tasks that differ in a number alone: the pass rate of each third, where it follows the number."""
    families: dict[str, Rates] = {}
    levels: dict[str, Mapping[str, str]] = {}
    for run in runs:
        labels = {case.key: case.label for case in run.cases}
        levels |= {labels[key]: of_task for key, of_task in task_levels(run).items() if key in labels}
        for prefix, number, label, rate in _rates(run):
            families.setdefault(prefix, {}).setdefault(run.run.name, {})[number, label] = rate
    entries = [entry for prefix, rates in sorted(families.items()) if (entry := _entry(prefix, rates)) is not None]
    corrected = benjamini_hochberg([entry["p"] for entry in entries])
    clear_entries = [
        entry
        for entry, q in zip(entries, corrected, strict=True)
        if q <= SURE and _is_apart(entry) and not _is_explained(entry.pop("means"), levels)
    ]
    clear_entries.sort(key=lambda entry: (-entry["tasks"], entry["prefix"]))
    return {"families": clear_entries[:MOST], "left_out": len(clear_entries[MOST:])} if clear_entries else None


def _rates(run: RunCases) -> Iterator[tuple[str, int, str, float]]:
    """What stands before the number of a task, the number, the task, and its pass rate."""
    outcomes: dict[str, list[bool]] = {}
    for case in judged(run):
        outcomes.setdefault(case.label, []).append(bool(case.passed))
    for label, passed in outcomes.items():
        if match := _NUMBERED.fullmatch(label):
            yield match[1], int(match[2]), label, sum(passed) / len(passed)


def _entry(prefix: str, rates: Rates) -> dict[str, Any] | None:
    tasks = sorted({task for of_run in rates.values() for task in of_run})
    rates = {run: of_run for run, of_run in rates.items() if len(of_run) >= COVERS * len(tasks)}
    tasks = [task for task in tasks if all(task in of_run for of_run in rates.values())]
    if len(tasks) < FEWEST_TASKS or not rates or len({number for number, _ in tasks}) < FEWEST_TASKS:
        return None
    means = [fsum(of_run[task] for of_run in rates.values()) / len(rates) for task in tasks]
    trend = order_trend(means)
    if trend is None:
        return None
    by_run = [order_trend([of_run[task] for task in tasks]) for of_run in rates.values()]
    third = len(tasks) // 3
    bounds = ((0, third), (third, len(tasks) - third), (len(tasks) - third, len(tasks)))
    return {
        "prefix": prefix,
        "tasks": len(tasks),
        "runs": len(rates),
        "alike": sum(one is not None and one.correlation * trend.correlation > 0 for one in by_run),
        "r": significant(trend.correlation, WRITTEN),
        "p": significant(trend.p, WRITTEN),
        "means": {label: mean for (_, label), mean in zip(tasks, means, strict=True)},
        "thirds": [
            {
                "first": tasks[start][1],
                "last": tasks[end - 1][1],
                "tasks": end - start,
                "pass_rate": significant(fsum(means[start:end]) / (end - start), WRITTEN),
            }
            for start, end in bounds
        ],
    }


def _is_apart(entry: Mapping[str, Any]) -> bool:
    """Whether the second third lies between the others, and these lie far apart."""
    first, middle, last = (third["pass_rate"] for third in entry["thirds"])
    falls = entry["r"] < 0
    return bool(abs(first - last) >= APART and (first >= middle >= last if falls else first <= middle <= last))


def _is_explained(means: Mapping[str, float], levels: Levels) -> bool:
    """Whether a field of the tasks tells as much: inside its levels the pass rate does not follow the number."""
    for field in sorted({field for label in means for field in levels.get(label, ())}):
        groups: dict[str, list[float]] = {}
        for label, mean in means.items():
            if (level := levels.get(label, {}).get(field)) is not None:
                groups.setdefault(level, []).append(mean)
        levelled = sum(map(len, groups.values()))
        comparable = 1 < len(groups) <= MOST_LEVELS * len(means) and levelled >= COVERS * len(means)
        if comparable and _p_within(list(groups.values())) > STILL_SURE:
            return True
    return False


def _p_within(groups: Sequence[Sequence[float]]) -> float:
    """The chance of a trend as clear as that of all groups together, each in its own order; 1 where none can tell."""
    trends = [(len(values), order_trend(values)) for values in groups]
    with_trend = [(tasks, trend.correlation) for tasks, trend in trends if trend is not None]
    if not with_trend:
        return 1.0
    # Each correlation has a variance of 1 / (n - 1), and counts as much as its group has tasks.
    weighted = fsum(tasks * correlation for tasks, correlation in with_trend)
    return erfc(abs(weighted) / sqrt(2 * fsum(tasks**2 / (tasks - 1) for tasks, _ in with_trend)))


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Paragraph(tuple(_sentences(answer)))]


def _sentences(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    for place, entry in enumerate(answer["families"]):
        yield _words(place, entry)
    yield say(
        "The number may stand for difficulty, a source or the time when a task was written; runs that judged other "
        "numbers cannot be held against each other."
    )


def _words(place: int, entry: Mapping[str, Any]) -> Sentence:
    path = ("investigation", "numbered_tasks", "families", place)
    first, middle, last = entry["thirds"]
    rates = [
        fact(percent(third["pass_rate"]), third["pass_rate"], *path, "thirds", number, "pass_rate")
        for number, third in enumerate((first, middle, last))
    ]
    runs = (
        f", in the same direction in {entry['alike']:,} of {count(entry['runs'], 'run')}" if entry["runs"] > 1 else ""
    )
    return say(
        "The pass rate {moves} with the number of the task: {first} in the first third of {tasks}{prefix} ({names}), "
        "{middle} in the second, {last} in the last (from {start} on; rank correlation {r}, p = {p}{runs}).",
        moves="falls" if entry["r"] < 0 else "rises",
        first=rates[0],
        tasks=fact(count(entry["tasks"], "task"), entry["tasks"], *path, "tasks"),
        names=f"{first['first']} to {first['last']}",
        prefix=f" named {entry['prefix']}…" if entry["prefix"] else "",
        middle=rates[1],
        last=rates[2],
        start=last["first"],
        r=fact(f"{entry['r']:.2f}".replace("-", "−"), entry["r"], *path, "r"),
        p=fact(f"{entry['p']:.2g}", entry["p"], *path, "p"),
        runs=runs,
    )
