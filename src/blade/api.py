"""The straight line: files → rollouts → facts → analysis → report → text. Each arrow is one function."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from blade.anchors.anchor import load as load_anchors
from blade.anchors.extract import Extracted, Names, extract, rollouts_beside
from blade.change.compare import compare
from blade.change.contrasts import contrasts
from blade.change.modes import Modes
from blade.change.ranking import ranking
from blade.checking import Check, check_text
from blade.counting.align import align
from blade.counting.find import find_rollout
from blade.counting.measure import Measured, measure
from blade.counting.run import Run, settle
from blade.counting.tasks import task_table
from blade.counting.union import expect_union
from blade.diagnosis.cases import all_cases
from blade.diagnosis.definitions import meanings
from blade.diagnosis.diagnose import diagnose
from blade.diagnosis.funnel import funnel
from blade.diagnosis.modes import find_modes, modes_by_place
from blade.diagnosis.noticed import examples, table, total
from blade.diagnosis.stories import Beside, tell_stories
from blade.diagnosis.twins import Twin, find_twins, nearest_twin
from blade.document import Report, Section
from blade.engine.discover import discover
from blade.engine.local import Progress
from blade.engine.runs import read_plan
from blade.errors import InputError, NameClash, NotFound, UsageError
from blade.health import Context, Item
from blade.judge.base import Base, Material, from_golden
from blade.judge.calibration import Calibration, attacked
from blade.judge.counted import modes_of_tasks
from blade.judge.from_runs import from_runs
from blade.judge.grade import Grade, Judge
from blade.judge.subject import subject_of
from blade.model import Analysis, File, Flaw
from blade.options import Options
from blade.output import write_all
from blade.package.stages import Stages
from blade.registry import plugins
from blade.renderers import json
from blade.skill.draft import write_draft

__all__ = [
    "analyze",
    "analyze_runs",
    "anchor_facts",
    "calibrate",
    "check",
    "compare_paths",
    "draft_skill",
    "find_rollout",
    "find_twin",
    "read",
    "render",
    "render_change",
    "report",
    "score",
    "stages",
    "write",
    "write_json",
]


def read(*paths: str | Path, options: Options | None = None, progress: Progress | None = None) -> list[Run]:
    """The runs behind files, folders, globs or NAME=PATH, each row with its task, attempt, status and verdict."""
    chosen = options or Options()
    runs = [run for plan in discover(paths) for run in settle(read_plan(plan, chosen, progress), chosen)]
    names = [run.name for run in runs]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise NameClash(f"Two runs are named '{twice}'.", "Name them apart with NAME=PATH.")
    return runs


def analyze(*paths: str | Path, options: Options | None = None, progress: Progress | None = None) -> Analysis:
    """Read and count: everything BLADE knows about the runs, worked out but not yet worded."""
    chosen = options or Options()
    return analyze_runs(read(*paths, options=chosen, progress=progress), chosen)


def analyze_runs(runs: Sequence[Run], options: Options | None = None) -> Analysis:
    """Count runs that were read before. The first is the baseline unless the options name another."""
    chosen = options or Options()
    ordered = _baseline_first(list(runs), chosen.baseline)
    alignments = [align(ordered[0], run) for run in ordered[1:]]
    ordered, known = expect_union(ordered, alignments)
    measured = [measure(run, chosen) for run in ordered]
    cases = all_cases(ordered, alignments)
    modes = find_modes(cases)
    ways = Modes(modes_by_place(cases), {mode.id: mode for mode in modes})
    twins = find_twins(cases, modes)
    changes = tuple(
        compare(measured[0], other, (ordered[0], run), alignment, chosen, ways)
        for other, run, alignment in zip(measured[1:], ordered[1:], alignments, strict=True)
    )
    health = tuple(examine(Context(ordered, measured, alignments)))
    told = diagnose(cases, modes, health, [item.analysis for item in measured], changes)
    return Analysis(
        benchmark=_benchmark(ordered, chosen),
        runs=tuple(item.analysis for item in measured),
        tasks=task_table(ordered, measured, known),
        flaws=_flaws(ordered, measured),
        inventory=_inventory(ordered),
        changes=changes,
        health=health,
        ranking=ranking(ordered, measured, alignments, chosen),
        modes=modes,
        funnel=funnel(ordered),
        twins=tuple(twin.data() for twin in twins),
        stories=tell_stories(cases, twins, Beside(ways.known, told.labels, told.interventions)),
        findings=examples(cases),
        findings_total=total(cases),
        labels=told.labels,
        meanings=meanings(run.raw.benchmark.values for run in ordered),
        interventions=told.interventions,
        counterfactuals=told.counterfactuals,
        noticed=table(cases),
        contrasts=tuple(found for run in ordered if (found := contrasts(run, chosen)) is not None),
        identity=tuple(
            {
                "base": ordered[0].name,
                "candidate": run.name,
                "rule": item.rule,
                "detail": item.detail,
                "common": len(item.same),
            }
            for run, item in zip(ordered[1:], alignments, strict=True)
        ),
    )


def find_twin(runs: Sequence[Run], task: str, *, attempt: int | None = None, run: str | None = None) -> Twin:
    """A passing and a failing attempt of one task; with an attempt, that one and the nearest with the other outcome."""
    found = find_rollout(runs, task, attempt=attempt, run=run).rollout
    (cases,) = all_cases([one for one in runs if one.name == found.run], [])
    modes = find_modes([cases])
    return nearest_twin(cases, found.task, modes, attempt)


def report(analysis: Analysis) -> Report:
    """Word the analysis: every section that has something to say, in order."""
    found = sorted(plugins("sections").items(), key=lambda pair: (pair[1].ORDER, pair[0]))
    sections = ((name, module, tuple(module.build(analysis))) for name, module in found)
    made = tuple(Section(name, module.TITLE, blocks) for name, module, blocks in sections if blocks)
    names = [run.name for run in analysis.runs]
    shown = ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
    return Report(f"BLADE report: {analysis.benchmark or shown}", made)


def compare_paths(base: str | Path, candidate: str | Path, options: Options | None = None) -> Analysis:
    """Read two runs and compare them; each path must hold one run."""
    chosen = options or Options()
    runs = read(base, candidate, options=chosen)
    if len(runs) != 2:
        names = ", ".join(run.name for run in runs)
        raise UsageError(
            f"A comparison takes two runs; here are {len(runs)}: {names}.", "Give a file or folder of one run each."
        )
    return analyze_runs(runs, chosen)


def render_change(analysis: Analysis, form: str = "markdown") -> str:
    """The score change alone, in one of the forms a report has; as JSON, the change as data."""
    if form == "json":
        return json.dump(json.plain(json.change_data(analysis.changes[0]))).decode()
    whole = report(analysis)
    (section,) = (section for section in whole.sections if section.name == "score_change")
    change = analysis.changes[0]
    return render(Report(f"{change.base} → {change.candidate}", (section,)), form)


def render(made: Report, form: str = "markdown") -> str:
    """Mark the report up; `form` is the name of a renderer of text."""
    found = plugins("renderers")
    if form not in found or not hasattr(found[form], "render"):
        forms = ", ".join(name for name, module in found.items() if hasattr(module, "render"))
        raise UsageError(f"No renderer is named '{form}'.", f"There are: {forms}.")
    return str(found[form].render(made))


def write(folder: str | Path, runs: Sequence[Run], analysis: Analysis) -> list[Path]:
    """analysis.json, metrics/<run>.json, both tables and report.md in one folder; says what was written."""
    return write_all(Path(folder), runs, analysis, report(analysis))


def check(
    report_path: str | Path, *paths: str | Path, options: Options | None = None, progress: Progress | None = None
) -> Check:
    """Hold a Markdown report against its runs: every number, id, name of a run and quote in it."""
    text = _report_text(Path(report_path))
    chosen = options or Options()
    runs = read(*paths, options=chosen, progress=progress)
    analysis = analyze_runs(runs, chosen)
    return check_text(text, report(analysis), analysis, runs)


def draft_skill(
    *paths: str | Path,
    output: str | Path | None = None,
    force: bool = False,
    options: Options | None = None,
    progress: Progress | None = None,
) -> tuple[str, Path | None]:
    """A benchmark's own analysis skill, drafted from its runs: the text, and where it was written, if anywhere."""
    chosen = options or Options()
    runs = read(*paths, options=chosen, progress=progress)
    target = Path(output) if output is not None else None
    return write_draft(runs, analyze_runs(runs, chosen), target, force=force, reward_field=chosen.reward_field), target


def anchor_facts(
    golden: str | Path,
    names: Names,
    *paths: str | Path,
    most: int | None = None,
    options: Options | None = None,
    progress: Progress | None = None,
) -> tuple[Extracted, Check | None]:
    """Anchor facts for a golden report, and what in the report its runs contradict.

    Without paths the runs are looked for in the package that the report lies in; where there are none, the facts come
    from the text alone.
    """
    place = Path(golden)
    text = _report_text(place)
    chosen = options or Options()
    sources = paths or tuple(rollouts_beside(place))
    if not sources:
        return extract(text, names, most=most), None
    runs = read(*sources, options=chosen, progress=progress)
    analysis = analyze_runs(runs, chosen)
    found = extract(text, names, runs, analysis, most)
    return found, check_text(text, report(analysis), analysis, runs)


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
    chosen = options or Options()
    base = _fact_base(Path(golden), anchor_facts, paths, chosen, progress, golden_only=golden_only)
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
    chosen = options or Options()
    base = _fact_base(Path(golden), anchor_facts, paths, chosen, progress, golden_only=golden_only)
    return attacked(base, weak, min_spread, chosen.seed)


def _fact_base(
    golden: Path,
    anchor_facts: str | Path,
    paths: Sequence[str | Path],
    options: Options,
    progress: Progress | None,
    *,
    golden_only: bool,
) -> Base:
    text, anchors = _report_text(golden), load_anchors(anchor_facts)
    paths = paths or ([] if golden_only else _package_runs(golden))
    if not paths:
        return from_golden(text, anchors)
    runs = read(*paths, options=options, progress=progress)
    subject = subject_of(runs, anchors.model, text)
    plain = replace(options, baseline=None)
    alone = {run.name: analyze_runs([run], plain) for run in runs}
    worded = {name: render(report(analysis)) for name, analysis in alone.items()}
    ordered = sorted(runs, key=lambda run: run.name != subject)
    together = analyze_runs(ordered, plain) if len(runs) > 1 else alone[subject]
    believed = [worded[subject]]
    if len(runs) > 1:
        believed.append(render(report(together)))
    if ordered != runs or options.baseline:
        believed.append(render(report(analyze_runs(runs, options))))
    others = tuple((name, told) for name, told in worded.items() if name != subject)
    modes = modes_of_tasks(runs)
    return from_runs(
        text, anchors, Material(tuple(runs), together, alone[subject], tuple(believed), subject, others, modes)
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


def _baseline_first(runs: list[Run], baseline: str | None) -> list[Run]:
    if baseline is None:
        return runs
    names = [run.name for run in runs]
    if baseline not in names:
        raise UsageError(f"No run is named '{baseline}'.", f"Runs here: {', '.join(names)}.")
    return sorted(runs, key=lambda run: run.name != baseline)


def _benchmark(runs: Sequence[Run], options: Options) -> str | None:
    """The benchmark's name: given, declared in benchmark.toml, or told alike by all rows."""
    if options.benchmark:
        return options.benchmark
    for run in runs:
        name = run.raw.benchmark.values.get("name")
        if isinstance(name, str):
            return name
    told = {
        row.get(field)
        for run in runs
        for row in run.fields()
        for field in ("benchmark", "benchmark_name", "metadata.benchmark")
        if isinstance(row.get(field), str)
    }
    return str(told.pop()) if len(told) == 1 else None


def examine(context: Context) -> Iterator[Item]:
    """Every health check, in order of its name."""
    for module in plugins("health").values():
        yield from module.check(context)


def _inventory(runs: Sequence[Run]) -> tuple[File, ...]:
    """Files that stand beside the runs and belong to none of them."""
    own = {file.path for run in runs for file in run.files}
    return tuple({file.path: file for run in runs for file in run.raw.listed if file.path not in own}.values())


def _flaws(runs: Sequence[Run], measured: Sequence[Measured]) -> tuple[Flaw, ...]:
    found: dict[Flaw, None] = {}
    for run, item in zip(runs, measured, strict=True):
        for flaw in run.raw.flaws:
            found.setdefault(flaw)
        for flaw in item.flaws:
            place = flaw.file or run.name
            found.setdefault(Flaw(flaw.slug, flaw.statement, place, flaw.line, flaw.rows))
    return tuple(found)
