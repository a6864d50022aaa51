"""Do tasks with a higher number pass less often, or more often?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import RunCases
from blade.document import Block, Paragraph, Sentence, say
from blade.late_regex import late_regex
from blade.questions import judged, task_levels
from blade.stats.multiple import benjamini_hochberg
from blade.stats.rate_trends import is_explained, mean_rates, rate_trend
from blade.stats.rounding import WRITTEN, significant
from blade.wording import count, fact, percent

TITLE = "Numbers of tasks and their pass rates"
ORDER = 63
WEIGHT = 0.7
FEWEST_TASKS = 30
COVERS = 0.8
"""A run counts where it judged so large a share of the tasks of one name."""
SURE = 0.005
MOST = 3
_NUMBERED = late_regex(r"(.*?)(\d{1,9})\D*")

Rates = dict[str, dict[tuple[int, str], float]]
"""Run → number and name of a task → its pass rate."""


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
        if entry.pop("apart") and q <= SURE and not is_explained(entry.pop("means"), entry.pop("values"), levels)
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
    numbers = [float(number) for number, _ in tasks]
    trend = rate_trend(numbers, [[of_run[task] for task in tasks] for of_run in rates.values()])
    if trend is None:
        return None
    labels = [label for _, label in tasks]
    means = mean_rates([[of_run[task] for task in tasks] for of_run in rates.values()])
    return {
        "prefix": prefix,
        "tasks": len(tasks),
        "runs": len(rates),
        "alike": trend.alike,
        "r": significant(trend.correlation, WRITTEN),
        "p": significant(trend.p, WRITTEN),
        "means": dict(zip(labels, means, strict=True)),
        "values": dict(zip(labels, numbers, strict=True)),
        "apart": trend.is_apart(),
        "thirds": [
            {
                "first": labels[start],
                "last": labels[end - 1],
                "tasks": end - start,
                "pass_rate": significant(rate, WRITTEN),
            }
            for (start, end), rate in zip(trend.bounds, trend.thirds, strict=True)
        ],
    }


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
