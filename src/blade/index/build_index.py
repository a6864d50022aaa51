"""Runs → index: reads and analyzes, then keeps what pages and queries need. Slow; done once for unchanged runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import polars as pl
from xxhash import xxh3_64_hexdigest

from blade import api
from blade.counting.run import Run
from blade.detectors import read_sightings
from blade.diagnosis.cases import all_cases, believed
from blade.diagnosis.filters import name_filters
from blade.diagnosis.modes import find_modes
from blade.document import Report
from blade.engine.files import Progress
from blade.errors import UsageError
from blade.findings import State
from blade.index import rollouts
from blade.index.tables import ATTEMPTS, RESULTS, TASKS, Index
from blade.model import NOT_EVALUABLE, Analysis
from blade.options import Options
from blade.pages.colours import outcome_of
from blade.registry import plugins
from blade.renderers import json, markdown
from blade.run_names import run_named

KEPT = (
    "benchmark runs change changes modes meanings twins stories interventions health health_checks flaws funnel labels "
    "totals"
)
_BROKEN = {status.value for status in NOT_EVALUABLE}
_FACTS = (
    "label attempt reward passed state reason answer items calls tools_called sightings file line offset length".split()
)


def gather(paths: Sequence[str], options: Options, progress: Progress | None = None, pair: Sequence[str] = ()) -> Index:
    """Everything the viewer shows of these runs, except the words of their transcripts: those stay in the files.

    With a pair, of its two runs alone: the first is the baseline of the second.
    """
    runs = api.read(*paths, options=options, progress=progress)
    if pair:
        runs, options = _of_pair(runs, pair), replace(options, baseline=None)
    analysis = api.analyze_runs(runs, options)
    index = build(runs, analysis)
    return replace(index, facts={**index.facts, "report": _sections(api.report(analysis))})


def _of_pair(runs: Sequence[Run], pair: Sequence[str]) -> list[Run]:
    by_name = {run.name: run for run in runs}
    names = [run_named(name, list(by_name)) for name in pair]
    if len(set(names)) < len(names):
        raise UsageError(f"'{names[0]}' cannot be compared with itself.", f"Runs here: {', '.join(by_name)}.")
    return [by_name[name] for name in names]


def _sections(report: Report) -> list[dict[str, str]]:
    """Every section of the report as Markdown; what must be known first stands in the first."""
    texts = [markdown.section(section) for section in report.sections]
    if report.notice and texts:
        head, _, rest = texts[0].partition("\n\n")
        texts[0] = f"{head}\n\n{markdown.paragraph(report.notice)}\n\n{rest}"
    return [
        {"name": section.name, "title": section.title, "text": text}
        for section, text in zip(report.sections, texts, strict=True)
    ]


def build(runs: Sequence[Run], analysis: Analysis) -> Index:
    document = json.document(analysis)
    facts = {name: document[name] for name in KEPT.split()}
    facts["labels"] = json.plain(
        [
            {
                "run": label.run,
                "task": label.task,
                "labels": label.labels,
                "why": label.why,
                "missing": label.missing,
                "confidence": label.confidence,
            }
            for label in analysis.labels
        ]
    )
    facts["digests"] = {run.name: digest(run) for run in runs}
    facts["mode_names"] = {mode.id: mode.name for mode in analysis.modes}
    facts["titles"] = {name: module.TITLE for name, module in plugins("detectors").items()}
    names = {run.name: run for run in runs}
    ordered = [names[run.name] for run in analysis.runs]
    called = {(run, label): order for order, task in enumerate(analysis.tasks) for run, label in task.called.items()}
    cases = name_filters([all_cases([run], [])[0] for run in ordered])
    find_modes(cases)
    modes = {case.place[:2]: case.mode for run in cases for case in run.failing if case.mode}
    wide = rollouts.build(ordered, analysis, cases).lazy()
    return Index(facts, _attempts(ordered, called, modes), _results(analysis, called), _tasks(analysis), wide)


def digest(run: Run) -> str:
    """Of every row of a run, whatever their order: the same number, the same data."""
    return xxh3_64_hexdigest(run.facts["row_hash"].sort().to_numpy().tobytes())


def _attempts(
    runs: Sequence[Run], called: dict[tuple[str, str], int], modes: dict[tuple[str, int], str]
) -> pl.DataFrame:
    columns: dict[str, list[Any]] = {name: [] for name in ATTEMPTS}
    for run in runs:
        rows = run.facts.filter(~pl.col("copy")).select(_FACTS)
        for row in rows.iter_rows(named=True):
            order = called.get((run.name, row["label"]))
            if order is not None:
                for name, value in _attempt(run, row, order, modes).items():
                    columns[name].append(value)
    attempts = pl.DataFrame(columns, schema=ATTEMPTS)
    places = {run.name: place for place, run in enumerate(runs)}
    place = pl.col("run").replace_strict(places, return_dtype=pl.Int64, default=len(places))
    return attempts.sort("order", place, "attempt", maintain_order=True)


def _attempt(run: Run, row: dict[str, Any], order: int, modes: dict[tuple[str, int], str]) -> dict[str, Any]:
    path = run.raw.sources[row["file"]]
    state = row["state"]
    sightings = read_sightings(row["sightings"])
    fired = [
        name for name, sighting in sorted(sightings.items()) if sighting.state is State.FIRED and believed(name, state)
    ]
    return {
        **{name: row[name] for name in _FACTS if name in ATTEMPTS},
        "order": order,
        "run": run.name,
        "outcome": outcome_of(row["passed"], state, evaluable=state not in _BROKEN),
        "mode": modes.get((path, row["line"])),
        "tools": row["tools_called"] or [],
        "noticed": fired,
        "path": path,
    }


def _results(analysis: Analysis, called: dict[tuple[str, str], int]) -> pl.DataFrame:
    labels = {(called.get((label.run, label.task)), label.run): list(label.labels) for label in analysis.labels}
    rows = [
        (
            order,
            run,
            result.bucket.value if result.bucket else None,
            result.mean,
            result.passes,
            result.attempts,
            result.expected,
            labels.get((order, run), []),
        )
        for order, task in enumerate(analysis.tasks)
        for run, result in task.runs.items()
    ]
    return pl.DataFrame(rows, schema=RESULTS, orient="row")


def _tasks(analysis: Analysis) -> pl.DataFrame:
    rows = [
        (
            order,
            _clean(task.task),
            _clean(task.text),
            [_clean(f"{name}: {value}") for name, value in task.slices.items()],
        )
        for order, task in enumerate(analysis.tasks)
    ]
    return pl.DataFrame(rows, schema=TASKS, orient="row")


def _clean(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
