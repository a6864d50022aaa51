"""What is done with reports and packages: check, draft, extract, score, calibrate. Each takes the straight line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from blade.anchors.anchor import load as load_anchors
from blade.anchors.extract import Extracted, PackageNames, extract, rollouts_beside
from blade.api import analyze_runs, compare_pair, read, render, report
from blade.checking import ReportCheck, check_text
from blade.counting.run import Run
from blade.engine.files import Progress
from blade.errors import InputError, NotFound, UsageError
from blade.judge.base import Base, Material, from_golden
from blade.judge.calibration import Calibration, attacked
from blade.judge.counted_facts import modes_of_tasks
from blade.judge.from_runs import from_runs
from blade.judge.grade import Grade, Judge
from blade.judge.subject import subject_of
from blade.model import Analysis
from blade.options import Options
from blade.package.contents import inside_package, read_contents
from blade.package.golden import draft_for
from blade.package.layout import package_of
from blade.package.stages import Stages
from blade.queries.proving import files_beside, prove
from blade.renderers import json
from blade.skill.draft import write_draft

__all__ = ["anchor_facts", "calibrate", "check", "draft_skill", "fact_base", "score", "stages", "write_json"]


def check(
    report_path: str | Path,
    *paths: str | Path,
    queries: Path | None = None,
    options: Options | None = None,
    progress: Progress | None = None,
) -> ReportCheck:
    """Hold a Markdown report against its runs: every number, id, name of a run and quote in it.

    Counts that it cites by id are counted again; their questions are kept in `queries`, or beside the report.
    """
    text = _report_text(Path(report_path))
    return _checked_report(Path(report_path), text, paths, options or Options(), progress, queries)[0]


def draft_skill(
    *paths: str | Path,
    output: str | Path | None = None,
    force: bool = False,
    options: Options | None = None,
    progress: Progress | None = None,
) -> tuple[str, Path | None]:
    """A benchmark's own analysis skill, drafted from its runs: the text, and where it was written, if anywhere."""
    settings = options or Options()
    runs = read(*paths, options=settings, progress=progress)
    target = Path(output) if output is not None else None
    return write_draft(
        runs, analyze_runs(runs, settings), target, force=force, reward_field=settings.reward_field
    ), target


def anchor_facts(
    golden: str | Path,
    names: PackageNames,
    *paths: str | Path,
    most: int | None = None,
    options: Options | None = None,
    progress: Progress | None = None,
) -> tuple[Extracted, ReportCheck | None]:
    """Anchor facts for a golden report, and what in the report its runs contradict.

    Without paths the runs are looked for in the package that the report lies in; where there are none, the facts come
    from the text alone.
    """
    place = Path(golden)
    text = _report_text(place)
    settings = options or Options()
    sources = paths or tuple(rollouts_beside(place))
    if not sources:
        return extract(text, names, limit=most), None
    checked, runs, analysis = _checked_report(place, text, sources, settings, progress)
    extracted = extract(text, names, runs, analysis, most)
    layout = package_of(place.absolute())
    if layout is not None:
        extracted = replace(extracted, anchors=inside_package(extracted.anchors, layout.folder))
    return extracted, checked


def _checked_report(
    place: Path,
    text: str,
    paths: Sequence[str | Path],
    options: Options,
    progress: Progress | None,
    queries: Path | None = None,
) -> tuple[ReportCheck, Sequence[Run], Analysis]:
    """A report held against its runs, read in their order.

    A golden report of a package speaks of one run and holds it against the others; it is compared with what BLADE would
    draft for that run. Any other report is compared with what BLADE says of all the runs.
    """
    layout = package_of(place.absolute())
    golden = (
        next((candidate for candidate in layout.goldens if candidate.report.name == place.name), None)
        if layout
        else None
    )
    if layout is not None and golden is not None:
        contents = read_contents(layout, [str(path) for path in paths], stages(), options, progress)
        drafted, _ = draft_for(contents, golden)
        if drafted is not None:
            analysis = analyze_runs(contents.runs, options)
            cited = prove(text, files_beside(place, queries), contents.runs, analysis)
            return check_text(text, drafted.report, drafted.together, drafted.runs, cited), contents.runs, analysis
        runs: Sequence[Run] = contents.runs
    else:
        runs = read(*paths, options=options, progress=progress)
    analysis = analyze_runs(runs, options)
    cited = prove(text, files_beside(place, queries), runs, analysis)
    compared = partial(compare_pair, runs, options=options)
    return check_text(text, report(analysis), analysis, runs, cited, compared), runs, analysis


def score(
    report_path: str | Path,
    golden: str | Path,
    anchor_facts: str | Path,
    *paths: str | Path,
    golden_only: bool = False,
    options: Options | None = None,
    progress: Progress | None = None,
) -> Grade:
    """Grade a report against its runs, else against the golden report alone.

    Without paths the rollouts of the package are taken that the golden report lies in.
    """
    text = _report_text(Path(report_path))
    settings = options or Options()
    base = fact_base(golden, anchor_facts, *paths, golden_only=golden_only, options=settings, progress=progress)
    return Judge(base).grade(text)


def calibrate(
    golden: str | Path,
    anchor_facts: str | Path,
    shallow: str | Path,
    *paths: str | Path,
    min_spread: float = 0.5,
    golden_only: bool = False,
    options: Options | None = None,
    progress: Progress | None = None,
) -> Calibration:
    """Grade the golden report, the shallow baseline and every attack that can be made of this package."""
    weak = _report_text(Path(shallow))
    settings = options or Options()
    base = fact_base(golden, anchor_facts, *paths, golden_only=golden_only, options=settings, progress=progress)
    return attacked(base, weak, min_spread, settings.seed)


def fact_base(
    golden: str | Path,
    anchor_facts: str | Path,
    *paths: str | Path,
    golden_only: bool = False,
    options: Options | None = None,
    progress: Progress | None = None,
) -> Base:
    """What a report is held against: its runs, else the golden report alone."""
    options = options or Options()
    text, anchors = _report_text(Path(golden)), load_anchors(anchor_facts)
    paths = paths or (() if golden_only else tuple(_package_runs(Path(golden))))
    if not paths:
        return from_golden(text, anchors)
    runs = read(*paths, options=options, progress=progress)
    subject = subject_of(runs, anchors.model, text)
    plain = replace(options, baseline=None)
    alone = {run.name: analyze_runs([run], plain) for run in runs}
    reports = {name: render(report(analysis)) for name, analysis in alone.items()}
    ordered = sorted(runs, key=lambda run: run.name != subject)
    together = analyze_runs(ordered, plain) if len(runs) > 1 else alone[subject]
    believed = [reports[subject]]
    if len(runs) > 1:
        believed.append(render(report(together)))
    if ordered != runs or options.baseline:
        believed.append(render(report(analyze_runs(runs, options))))
    other_reports = tuple((name, text_of_run) for name, text_of_run in reports.items() if name != subject)
    modes = modes_of_tasks(runs)
    return from_runs(
        text, anchors, Material(tuple(runs), together, alone[subject], tuple(believed), subject, other_reports, modes)
    )


def _package_runs(golden: Path) -> list[Path]:
    """The rollouts of the package that a golden report lies in."""
    if golden.absolute().parent.name != "golden_reports":
        return []
    return sorted((golden.absolute().parent.parent / "rollouts").glob("*.jsonl"))


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """One JSON file, its folder made where it is not there."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(json.dump(json.plain(value)))
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror or error}).", "Give another folder.") from None


def _report_text(path: Path) -> str:
    try:
        content = path.read_bytes()
    except OSError as error:
        reason = "there is nothing at this path" if isinstance(error, FileNotFoundError) else error.strerror or error
        raise NotFound(f"{path}: {reason}.", "Give a report in Markdown, as `blade analyze` writes it.") from None
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise InputError(f"{path}: not a text in UTF-8.", "Give a report in Markdown, as `blade analyze` writes it.")
    return text


def stages() -> Stages:
    """What the package needs of the straight line: it stands below this module and is handed these functions."""
    return Stages(read, analyze_runs, report)
