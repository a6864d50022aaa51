"""Summary files: aggregates, profiles and sidecars that do not say what the rows say."""

from __future__ import annotations

from collections import defaultdict
from math import fsum, isclose
from statistics import fmean

from blade.counting.run import Run
from blade.health import Context, Item, Unchecked, item
from blade.wording import percent

CLOSE = 1e-4


def unchecked(context: Context) -> Unchecked:
    reasons = {}
    for settled, measured in zip(context.runs, context.measured, strict=True):
        run = measured.analysis
        if _reported(settled) is not None:
            continue
        if not run.checks:
            reasons[run.name] = "there is no summary file beside the rows"
        elif not any(entry["matched"] or entry["disagreements"] for entry in run.checks):
            reasons[run.name] = "the rows give no value of the summary files"
    return reasons


def check(context: Context) -> list[Item]:
    findings = []
    for measured in context.measured:
        run = measured.analysis
        for entry in run.checks:
            if entry["disagreements"]:
                first = entry["examples"][0]
                statement = (
                    f"{entry['disagreements']} values of {entry['file']} differ from the rows, first {first['key']}: "
                    f"{first['stored']} there, {first['recomputed']} from the rows; {first['likely_cause']}"
                )
                findings.append(item("summary_files", "high", statement, run=run.name))
    figures = [item for run in context.runs for item in _figures_otherwise(run)]
    return [*findings, *filter(None, map(_reported_otherwise, context.runs)), *figures]


def _reported(run: Run) -> float | None:
    """The mean score that the files of another program state."""
    return run.raw.translated.reported if run.raw.translated is not None else None


def _reported_otherwise(run: Run) -> Item | None:
    reported, means = _reported(run), _means(run)
    if reported is None or any(isclose(reported, mean, rel_tol=CLOSE, abs_tol=CLOSE) for mean in means):
        return None
    rows = f"the rows give {_score(means[0])}" if means else "no row has a score"
    statement = f"The files of {run.name} state a score of {_score(reported)}; {rows}."
    return item("summary_files", "high", statement, run=run.name)


def _figures_otherwise(run: Run) -> list[Item]:
    """Weighted figures of another program that its rows do not give."""
    figures = run.raw.translated.figures if run.raw.translated is not None else {}
    return [
        item(
            "summary_files",
            "high",
            f"The files of {run.name} state '{name}' as {_score(stated_value)}; the rows give {_score(row_value)}.",
            run=run.name,
        )
        for name, (stated_value, row_value) in figures.items()
        if not isclose(stated_value, row_value, rel_tol=CLOSE, abs_tol=CLOSE)
    ]


def _score(value: float) -> str:
    return percent(value) if 0 <= value <= 1 else f"{value:.4g}"


def _means(run: Run) -> list[float]:
    """The mean over tasks and over rows: of graded rows, and with what was not graded taken as 0."""
    by_task: defaultdict[str, list[float | None]] = defaultdict(list)
    for task, reward in run.facts.select("task", "reward").rows():
        by_task[task].append(reward)
    graded = [[reward for reward in rewards if reward is not None] for rewards in by_task.values()]
    rewards = [reward for task in graded for reward in task]
    if not rewards:
        return []
    filled = [fsum(task) / len(every) for task, every in zip(graded, by_task.values(), strict=True)]
    totals = filter(None, (run.facts.height, run.expected.total))
    return [
        fmean(fmean(task) for task in graded if task),
        fmean(rewards),
        fmean(filled),
        *(fsum(rewards) / total for total in totals),
    ]
