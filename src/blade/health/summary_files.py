"""Summary files: aggregates, profiles and sidecars that do not say what the rows say."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import fsum, isclose
from pathlib import Path
from statistics import fmean

from blade.counting.run import Run
from blade.health import Context, Item, Unchecked, item
from blade.wording import percent

CLOSE = 1e-4
_NAME_PARTS = re.compile(r"[^\W_]+")


def unchecked(context: Context) -> Unchecked:
    reasons = {}
    for settled, measured in zip(context.runs, context.measured, strict=True):
        run = measured.analysis
        if _reported(settled) is not None or _models(settled):
            continue
        if not run.checks:
            reasons[run.name] = "no summary file that BLADE knows lies beside the rows"
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
    models = [item for run in context.runs for item in _models_otherwise(run)]
    reported = filter(None, (_reported_otherwise(run, _siblings(run, context.runs)) for run in context.runs))
    return [*findings, *reported, *figures, *models]


def _reported(run: Run) -> float | None:
    """The mean score that the files of another program state."""
    return run.raw.translated.reported if run.raw.translated is not None else None


def _siblings(run: Run, runs: Sequence[Run]) -> list[Run]:
    """The runs out of one folder: a summary that stands there may speak of all of them together."""
    return [other for other in runs if _folder(other) == _folder(run)]


def _folder(run: Run) -> Path | None:
    return run.raw.translated.path.original.parent if run.raw.translated is not None else None


def _reported_otherwise(run: Run, siblings: Sequence[Run]) -> Item | None:
    reported, means = _reported(run), _means(run)
    pooled = [fmean(of_runs) for of_runs in zip(*map(_means, siblings), strict=False)] if len(siblings) > 1 else []
    if reported is None or any(isclose(reported, mean, rel_tol=CLOSE, abs_tol=CLOSE) for mean in (*means, *pooled)):
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


def _models(run: Run) -> Mapping[str, tuple[str, str]]:
    """The models that a summary beside the rows names, each with the one that the rows name."""
    return run.raw.translated.models if run.raw.translated is not None else {}


def _models_otherwise(run: Run) -> list[Item]:
    """Models that a summary beside the rows names otherwise than the rows: whose run it is cannot be told."""
    return [
        item(
            "summary_files",
            "medium",
            f"The summary beside the rows of {run.name} names the {party} “{stated}”; the rows name “{recorded}”.",
            run=run.name,
        )
        for party, (stated, recorded) in _models(run).items()
        if not _one_name(stated, recorded)
    ]


def _one_name(first: str, second: str) -> bool:
    """Whether two names may be of one model: all parts of one stand in the other, as a version or a maker may."""
    one, other = (set(_NAME_PARTS.findall(name.lower())) for name in (first, second))
    if one <= other or other <= one:
        return True
    joined = ["".join(_NAME_PARTS.findall(name.lower())) for name in (first, second)]
    return joined[0] in joined[1] or joined[1] in joined[0]


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
