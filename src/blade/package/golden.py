"""The draft of a golden report and its metrics sidecar: one model's run, with the others for comparison."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from blade.counting.run import Run
from blade.document import Heading, Report, Section
from blade.errors import UsageError
from blade.frozen import frozen
from blade.model import Analysis
from blade.package.contents import Contents, inside_package, models
from blade.package.layout import Golden, Layout, package_of
from blade.package.texts import read_object
from blade.renderers import json, markdown

DRAFT = "*Draft, not yet reviewed: `blade review` records the acceptance of each section and fact.*"
CROSS = "cross_model_comparison"
CHANGE = "score_change"


@frozen
class Drafted:
    """What is said of one model's run. `runs` has that run first, and `together` was counted over all of them."""

    model: str
    runs: tuple[Run, ...]
    alone: Analysis
    together: Analysis
    report: Report


def compose(contents: Contents, golden_run: Run, model: str) -> Drafted:
    """Word the report of one model: its run by itself, then the section that holds it against the others."""
    runs = (golden_run, *(run for run in contents.runs if run is not golden_run))
    stages, layout = contents.stages, contents.layout
    options = replace(contents.options, baseline=None)
    together = _with_package_name(stages.analyze(runs, options), layout)
    alone = together if len(runs) == 1 else _with_package_name(stages.analyze([golden_run], options), layout)
    alone = replace(alone, inventory=together.inventory)
    report = stages.report(alone)
    sections = [section for section in report.sections if section.name != CROSS]
    if len(runs) > 1:
        full_report = stages.report(together)
        sections = _with_comparison(sections, full_report)
    return Drafted(
        model, runs, alone, together, Report(f"{alone.benchmark}: golden report of {model}", tuple(sections))
    )


def draft_for(contents: Contents, golden: Golden) -> tuple[Drafted | None, str]:
    """What BLADE says of the report's run, and the reason where there is no such run."""
    if golden.comparison:
        return None, "it compares models"
    if not contents.runs:
        return None, contents.problem or "there are no rollouts"
    sidecar_value = read_object(golden.sidecar).value if golden.sidecar else None
    sidecar_names = sidecar_value if isinstance(sidecar_value, dict) else {}
    names = [name for key in ("run", "model_name", "model") if isinstance(name := sidecar_names.get(key), str)]
    run = contents.run_of(golden.model, *names)
    if run is None:
        run_names = ", ".join(f"{run.name} ({', '.join(models(run))})" for run in contents.runs)
        return None, f"no run is named '{golden.model}'; there are: {run_names}"
    return compose(contents, run, golden.model), ""


def sidecar(drafted: Drafted) -> dict[str, Any]:
    """The seeds' keys, and consistency, coverage, pipeline counts, per-category breakdowns and token statistics."""
    (run,) = drafted.alone.runs
    document = json.metrics_sidecar(run, drafted.alone.benchmark)
    categories: dict[str, dict[str, Any]] = {}
    for line in document.pop("slices"):
        values = {key: value for key, value in line.items() if key not in {"field", "level"}}
        categories.setdefault(str(line["field"]), {})[str(line["level"])] = values
    passed = drafted.runs[0].graded["passed"]
    is_judged = passed.drop_nulls().len() > 0
    return {
        **document,
        "model": document["model_name"],
        "model_name": drafted.model,
        "passed_rollouts": int(passed.sum()) if is_judged else None,
        "failed_rollouts": int((~passed).sum()) if is_judged else None,
        "pipeline": {
            stage["stage"]: {key: stage["runs"][run.name][key] for key in ("reached", "of")}
            for stage in json.plain(drafted.alone.funnel)
        },
        "per_category": categories,
        "failure_modes": {mode.id: mode.runs[run.name]["rollouts"] for mode in drafted.alone.modes},
    }


def write_draft(contents: Contents, model: str) -> list[Path]:
    """Write report and sidecar, marked as drafts; of the two only the one that is missing.

    What is there is never overwritten: it may hold a person's work.
    """
    layout = contents.layout
    golden_run = contents.need_run(model)
    report, metrics = layout.report_path(model), layout.sidecar_path(model)
    missing = [path for path in (report, metrics) if not path.exists()]
    if not missing:
        raise UsageError(f"{report}: there is a file already.", "Move it away to draft it anew.")
    drafted = compose(contents, golden_run, model)
    title, _, body = markdown.render(drafted.report).partition("\n\n")
    contents_by_path = {
        report: f"{title}\n\n{DRAFT}\n\n{body}".encode(),
        metrics: json.dump({**sidecar(drafted), "draft": True}),
    }
    try:
        layout.reports.mkdir(parents=True, exist_ok=True)
        for path in missing:
            path.write_bytes(contents_by_path[path])
    except OSError as error:
        reason = error.strerror or error
        raise UsageError(f"{layout.reports}: cannot be written ({reason}).", "Check its permissions.") from None
    return missing


def find_package(folder: Path | None, paths: Sequence[str]) -> Layout:
    """The package that is named, else the one that the paths lie in."""
    if folder is not None:
        return Layout(folder)
    for path in paths:
        layout = package_of(Path(path.partition("=")[2] or path))
        if layout is not None:
            return layout
    raise UsageError(
        "--golden writes into a package, and these paths lie in none.",
        "Name it with --benchmark-dir, or make one with `blade init NAME --runs …`.",
    )


def _with_package_name(analysis: Analysis, layout: Layout) -> Analysis:
    """Under the benchmark's name, with the package's own paths; the table of findings stays as it is."""
    light = inside_package(replace(analysis, noticed=None), layout.folder)
    return replace(light, benchmark=analysis.benchmark or layout.name, noticed=analysis.noticed)


def _with_comparison(sections: list[Section], full_report: Report) -> list[Section]:
    """The cross-model section holds the table of all runs and the change of score; it stands where its order says."""
    order = [section.name for section in full_report.sections]
    comparison_sections = {section.name: section for section in full_report.sections if section.name in {CROSS, CHANGE}}
    blocks = comparison_sections[CROSS].blocks if CROSS in comparison_sections else ()
    if CHANGE in comparison_sections:
        blocks = (*blocks, Heading(comparison_sections[CHANGE].title), *comparison_sections[CHANGE].blocks)
    if not blocks:
        return sections
    place = order.index(CROSS) if CROSS in order else len(order)
    before = set(order[:place])
    at = next((n for n, section in enumerate(sections) if section.name not in before), len(sections))
    return [*sections[:at], Section(CROSS, "Cross-Model Comparison", blocks), *sections[at:]]
