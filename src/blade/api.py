"""The straight line: files → rollouts → facts → analysis → report → text. Each arrow is one function."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

from blade.change.contrasts import contrasts
from blade.change.gate import GateResult, GateRule, judge_gate
from blade.change.modes import Modes
from blade.change.ranking import ranking
from blade.change.series import checkpoint_series
from blade.counting.align import Alignment, align
from blade.counting.find import find_rollout
from blade.counting.measure import Measured, measure, useless_slices
from blade.counting.other_makers import settle_makers
from blade.counting.run import Run, settle_all
from blade.counting.slices import all_slices
from blade.counting.tasks import task_table
from blade.counting.union import expect_union
from blade.counting.unrelated import benchmark_names, refuse_unrelated
from blade.counting.verdict_fields import settle_verdict_fields
from blade.diagnosis.attribution import with_parts
from blade.diagnosis.cases import RunCases
from blade.diagnosis.copies import without_copies
from blade.diagnosis.definitions import meanings
from blade.diagnosis.diagnose import diagnose
from blade.diagnosis.features import feature_table
from blade.diagnosis.findings_table import examples, table, total
from blade.diagnosis.funnel import funnel
from blade.diagnosis.modes import find_modes, modes_by_place, spent_places
from blade.diagnosis.recorded import all_one_sided
from blade.diagnosis.rollout_causes import rollout_causes
from blade.diagnosis.settled_cases import settled_cases
from blade.diagnosis.stories import StoryInputs, tell_stories
from blade.diagnosis.twins import Twin, find_twins, nearest_twin, twin_across
from blade.document import Block, Paragraph, Picture, Report, Section, Table, say
from blade.engine.changed_files import changed_files
from blade.engine.discover import discover
from blade.engine.engines import open_engine
from blade.engine.files import Progress
from blade.engine.runs import read_plans
from blade.errors import InputError, NameClash, UsageError
from blade.findings import Mode, TaskFault
from blade.frozen import frozen
from blade.health import Context, Item, outcome, with_answers
from blade.model import Analysis, Change, File, Flaw, Task
from blade.options import Options
from blade.per_run import check_names
from blade.questions.more_room import room
from blade.registry import plugins
from blade.renderers import json
from blade.run_names import run_named
from blade.short_report import shortened
from blade.summary.matching_words import matching_notice
from blade.timings import READING, stage
from blade.wording import listed

__all__ = [
    "analyze",
    "analyze_runs",
    "compare_paths",
    "compare_runs",
    "draw",
    "find_rollout",
    "find_twin",
    "read",
    "render",
    "render_change",
    "report",
    "write",
]


FEW_RUNS = 3
IN_A_COMMENT = ("executive_summary", "recommendations")
"""Sections of a report that a comment on a pull request holds."""


def read(*paths: str | Path, options: Options | None = None, progress: Progress | None = None) -> list[Run]:
    """The runs behind files, folders, globs or NAME=PATH, each row with its task, attempt, status and verdict."""
    settings = options or Options()
    with stage("find the files"):
        plans = discover(paths, settings.field_map)
    for option in ("config", "notes", "annotations", "checkpoint"):
        check_names(f"--{option}", getattr(settings, option), [plan.name for plan in plans])
    with stage(READING), open_engine(settings) as engine:
        raws = read_plans(plans, settings, engine, progress)
    with stage("settle the runs"):
        runs = settle_verdict_fields(settle_makers(settle_all(raws, settings)))
    names = [run.name for run in runs]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise NameClash(f"Two runs are named '{twice}'.", "Name them apart with NAME=PATH.")
    return runs


def analyze(*paths: str | Path, options: Options | None = None, progress: Progress | None = None) -> Analysis:
    """Read and count: everything BLADE knows about the runs, worked out but not yet worded."""
    settings = options or Options()
    return analyze_runs(read(*paths, options=settings, progress=progress), settings)


def analyze_runs(runs: Sequence[Run], options: Options | None = None) -> Analysis:
    """Count runs that were read before. The first is the baseline unless the options name another."""
    settings = options or Options()
    prepared = _prepared(runs, settings)
    with stage("diagnose"):
        return _with_changed_files(_diagnosed(prepared, settings), runs)


def _diagnosed(prepared: _Prepared, settings: Options) -> Analysis:
    cases, modes = prepared.cases, prepared.modes
    twins = find_twins(cases, modes)
    mark_slices(cases, prepared.changes)
    answers = investigate(cases)
    analyses = [item.analysis for item in prepared.measured]
    more_room = room(answers["more_room"]) if "more_room" in answers else {}
    diagnosis = diagnose(
        cases, modes, prepared.health, analyses, prepared.changes, _faults(answers), more_room, answers
    )
    story_inputs = StoryInputs(
        prepared.ways.known,
        (*diagnosis.labels, *diagnosis.rollout_labels),
        diagnosis.interventions,
        rollout_causes(cases),
    )
    health, health_checks = with_answers(prepared.health, prepared.health_checks, answers, analyses)
    return replace(
        _change_alone(prepared, settings),
        health=health,
        health_checks=health_checks,
        funnel=funnel(prepared.runs),
        twins=tuple(twin.data() for twin in twins),
        stories=tell_stories(cases, twins, story_inputs),
        findings=examples(cases, modes),
        findings_total=total(cases),
        labels=diagnosis.labels,
        rollout_labels=diagnosis.rollout_labels,
        readings=diagnosis.readings,
        meanings=meanings(run.raw.benchmark.values for run in prepared.runs),
        interventions=diagnosis.interventions,
        other_interventions=diagnosis.other_interventions,
        counterfactuals=diagnosis.counterfactuals,
        noticed=table(cases),
        features=partial(feature_table, cases),
        investigation=answers,
        contrasts=tuple(contrast for run in prepared.runs if (contrast := contrasts(run, settings)) is not None),
    )


def mark_slices(runs: Sequence[RunCases], changes: Sequence[Change]) -> None:
    """Tells the cases of every candidate where the runs differ most: in a slice, or outside of one that was spared."""
    for run, change in zip(runs[1:], changes, strict=True):
        first_slice = change.slices[0] if change.slices else {}
        if first_slice.get("members") and change.delta_common:
            moves_inside = first_slice["excess"] * change.delta_common > 0
            place = f"{'inside' if moves_inside else 'outside'} {' and '.join(first_slice['where'])}"
            run.known["moved"] = place, frozenset(first_slice["members"]), moves_inside


def investigate(runs: Sequence[RunCases]) -> dict[str, Mapping[str, Any]]:
    """Every question that has an answer; only questions that compare runs are asked of copies of a run, too."""
    originals = without_copies(runs)
    answers = (
        (name, question.ask(runs if getattr(question, "OF_COPIES", False) else originals))
        for name, question in plugins("questions").items()
    )
    return {name: answer for name, answer in answers if answer is not None}


def _faults(answers: Mapping[str, Mapping[str, Any]]) -> dict[str, TaskFault]:
    """The tasks that some question finds at fault themselves, with the reason."""
    faults: dict[str, TaskFault] = {}
    for name, answer in answers.items():
        question = plugins("questions")[name]
        if hasattr(question, "faults"):
            faults = question.faults(answer) | faults
    return faults


def compare_runs(runs: Sequence[Run], options: Options | None = None) -> Analysis:
    """What changed between runs that were read before: counts, ledger, modes and health, without their diagnosis."""
    settings = options or Options()
    return _with_changed_files(_change_alone(_prepared(runs, settings), settings), runs)


def compare_pair(runs: Sequence[Run], base: str, candidate: str, options: Options | None = None) -> Change:
    """The change from one run to another of several that were read, whichever is the baseline of all."""
    from blade.change.compare import compare  # noqa: PLC0415 - thirty modules: only where there are two runs

    settings = replace(options or Options(), baseline=None)
    by_name = {run.name: run for run in runs}
    pair = [by_name[base], by_name[candidate]]
    alignments = align(pair, settings.match_by)
    pair, _ = expect_union(pair, alignments)
    slices = all_slices(pair, alignments, settings)
    hidden = useless_slices(pair, slices)
    measured = [measure(run, settings, of_run, hidden) for run, of_run in zip(pair, slices, strict=True)]
    return compare(measured[0], measured[1], (pair[0], pair[1]), alignments[0], settings)


@frozen
class _Prepared:
    """What the change and the diagnosis both rest on."""

    runs: Sequence[Run]
    measured: Sequence[Measured]
    alignments: Sequence[Alignment]
    cases: Sequence[RunCases]
    modes: tuple[Mode, ...]
    ways: Modes
    changes: tuple[Change, ...]
    health: tuple[Item, ...]
    health_checks: tuple[Mapping[str, str], ...]
    tasks: tuple[Task, ...]


def _prepared(runs: Sequence[Run], settings: Options) -> _Prepared:
    ordered = _baseline_first(list(runs), settings.baseline)
    alignments = align(ordered, settings.match_by)
    if not settings.allow_unrelated:
        refuse_unrelated(ordered, alignments, settings.match_by)
    ordered, task_alignments = expect_union(ordered, alignments)
    with stage("count"):
        slices = all_slices(ordered, alignments, settings)
        hidden = useless_slices(ordered, slices)
        measured = [measure(run, settings, of_run, hidden) for run, of_run in zip(ordered, slices, strict=True)]
    with stage("find the failure modes"):
        cases = settled_cases(ordered, alignments)
        modes = find_modes(cases)
        known_modes = {mode.id: mode for mode in modes}
        mode_index = Modes(modes_by_place(cases), known_modes, spent_places(cases), all_one_sided(cases))
    with stage("compare"):
        changes = tuple(_changes(ordered, measured, alignments, settings, mode_index))
        modes = with_parts(modes, cases, changes)
    with stage("check the health"):
        health, health_checks = examine(Context(ordered, measured, alignments, changes))
    tasks = task_table(ordered, measured, task_alignments)
    return _Prepared(ordered, measured, alignments, cases, modes, mode_index, changes, health, health_checks, tasks)


def _changes(
    runs: Sequence[Run],
    measured: Sequence[Measured],
    alignments: Sequence[Alignment],
    settings: Options,
    mode_index: Modes,
) -> Iterator[Change]:
    """The change from the first run to each of the others."""
    if len(runs) > 1:
        from blade.change.compare import compare  # noqa: PLC0415 - thirty modules: only where there are two runs

        for candidate, run, alignment in zip(measured[1:], runs[1:], alignments, strict=True):
            yield compare(measured[0], candidate, (runs[0], run), alignment, settings, mode_index)


def _change_alone(prepared: _Prepared, settings: Options) -> Analysis:
    return Analysis(
        benchmark=_benchmark(prepared.runs, settings),
        runs=tuple(item.analysis for item in prepared.measured),
        tasks=prepared.tasks,
        flaws=_flaws(prepared.runs, prepared.measured),
        inventory=_inventory(prepared.runs),
        changes=prepared.changes,
        health=prepared.health,
        health_checks=prepared.health_checks,
        ranking=ranking(prepared.runs, prepared.measured, prepared.alignments, settings),
        series=checkpoint_series(prepared.runs, prepared.measured, prepared.alignments, settings),
        modes=prepared.modes,
        identity=tuple(
            {
                "base": prepared.runs[0].name,
                "candidate": run.name,
                "rule": item.rule,
                "detail": item.detail,
                "common": len(item.same),
                "joined": item.joined,
                "tasks": item.tasks,
                "share": item.joined / item.tasks if item.tasks else None,
                "contradictions": item.contradictions,
                "weak": item.weak,
                "alternatives": [dict(alternative) for alternative in item.alternatives],
            }
            for run, item in zip(prepared.runs[1:], prepared.alignments, strict=True)
        ),
    )


def find_twin(
    runs: Sequence[Run], task: str, *, attempt: int | None = None, run: str | None = None, against: str | None = None
) -> Twin:
    """A passing and a failing attempt of one task; with an attempt, that one and the nearest with the other outcome.

    `against` is another run: then the one attempt is of the first run and the other of that one.
    """
    if against is not None:
        by_name = {known_run.name: known_run for known_run in runs}
        other = run_named(against, list(by_name))
        first = run_named(run, list(by_name)) if run else next((name for name in by_name if name != other), other)
        if first == other:
            raise UsageError(f"'{other}' cannot be compared with itself.", f"Runs here: {', '.join(by_name)}.")
        pair = [by_name[first], by_name[other]]
        cases = settled_cases(pair, align(pair))
        return twin_across(cases, task, find_modes(cases), attempt)
    rollout = find_rollout(runs, task, attempt=attempt, run=run).rollout
    (own_cases,) = settled_cases([known_run for known_run in runs if known_run.name == rollout.run], [])
    return nearest_twin(own_cases, rollout.task, find_modes([own_cases]), attempt)


def report(analysis: Analysis, *, pictures: bool = False) -> Report:
    """Word the analysis: every section that has something to say, in order; with its pictures where they are asked."""
    pictures_of_section: dict[str, list[Picture]] = {}
    for picture in draw(analysis) if pictures else ():
        pictures_of_section.setdefault(plugins("charts")[picture.name].SECTION, []).append(picture)
    modules = sorted(plugins("sections").items(), key=lambda pair: (pair[1].ORDER, pair[0]))
    sections = ((name, module, tuple(_narrowed(module.build(analysis), analysis))) for name, module in modules)
    built = tuple(
        Section(name, module.TITLE, (*pictures_of_section.get(name, ()), *blocks))
        for name, module, blocks in sections
        if blocks
    )
    names = [run.name for run in analysis.runs]
    run_names = ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
    if analysis.series is not None and len(analysis.series["runs"]) == len(names):
        run_names = f"{analysis.series['runs'][0]} to {analysis.series['runs'][-1]}, {len(names)} checkpoints"
    return Report(f"BLADE report: {analysis.benchmark or run_names}", built, matching_notice(analysis))


def _narrowed(blocks: Sequence[Block], analysis: Analysis) -> Iterator[Block]:
    """The blocks with tables that many runs make too wide turned: two or three runs fit."""
    many_runs = len(analysis.runs) > FEW_RUNS
    for block in blocks:
        yield block.narrowed() if many_runs and isinstance(block, Table) else block


def shorten(full_report: Report, analysis: Analysis) -> Report:
    """The report that report.md holds: what weighs most, in about 3,000 words of two runs and 5,000 of more."""
    return shortened(full_report, [run.name for run in analysis.runs], [task.task for task in analysis.tasks])


def draw(analysis: Analysis) -> tuple[Picture, ...]:
    """Every chart that has something to show, in order of name; a notebook shows each by itself."""
    drawings = (module.draw(analysis) for module in plugins("charts").values())
    return tuple(picture for picture in drawings if picture is not None)


def compare_paths(
    base: str | Path, candidate: str | Path, options: Options | None = None, progress: Progress | None = None
) -> Analysis:
    """Read two runs and compare them; each path must hold one run."""
    settings = options or Options()
    runs = read(base, candidate, options=settings, progress=progress)
    if len(runs) != 2:
        names = ", ".join(run.name for run in runs)
        raise UsageError(
            f"A comparison takes two runs; here are {len(runs)}: {names}.", "Give a file or folder of one run each."
        )
    return compare_runs(runs, settings)


def gate_of(analysis: Analysis, rule: GateRule) -> GateResult:
    """Whether the one change of an analysis crosses a gate."""
    (change,) = analysis.changes
    result = judge_gate(change, analysis.runs[0].scale, rule)
    if result is None:
        without = [run.name for run in analysis.runs if run.metrics["score_as_found"] is None]
        raise InputError(f"The gate cannot be judged: {listed(without)} has no score.", "Look at `blade analyze`.")
    return result


def render_change(analysis: Analysis, form: str = "markdown", gate: GateResult | None = None) -> str:
    """The score change alone, in one of the forms a report has; as JSON, the change as data."""
    if form == "json":
        gate_data = {"gate": asdict(gate)} if gate else {}
        return json.dump(json.plain({**json.change_data(analysis.changes[0]), **gate_data})).decode()
    renderer = plugins("renderers").get(form)
    if renderer is not None and hasattr(renderer, "render_change"):
        return str(renderer.render_change(analysis, gate))
    return render(change_report(analysis, gate if form == "github" else None), form)


def change_report(analysis: Analysis, gate: GateResult | None = None) -> Report:
    """The score change alone, as a report of one section; the result of a gate stands before it."""
    module = plugins("sections")["score_change"]
    result = (Paragraph((say("{statement}", statement=gate.statement),)),) if gate else ()
    section = Section("score_change", module.TITLE, (*result, *module.build(analysis)))
    change = analysis.changes[0]
    return Report(f"{change.base} → {change.candidate}", (section,), matching_notice(analysis))


def render_analysis(analysis: Analysis, form: str) -> str:
    """What a pipeline takes of an analysis: its tasks, or a comment with what matters most."""
    renderer = plugins("renderers")[form]
    if hasattr(renderer, "render_analysis"):
        return str(renderer.render_analysis(analysis))
    full_report = report(analysis)
    return render(
        replace(
            full_report, sections=tuple(section for section in full_report.sections if section.name in IN_A_COMMENT)
        ),
        form,
    )


def render(worded_report: Report, form: str = "markdown") -> str:
    """Mark the report up; `form` is the name of a renderer of text."""
    renderers = plugins("renderers")
    if form not in renderers or not hasattr(renderers[form], "render"):
        forms = ", ".join(name for name, module in renderers.items() if hasattr(module, "render"))
        raise UsageError(f"No renderer is named '{form}'.", f"There are: {forms}.")
    return str(renderers[form].render(worded_report))


def write(
    folder: str | Path, runs: Sequence[Run], analysis: Analysis, *, full: bool = False, forms: Sequence[str] = ()
) -> list[Path]:
    """Everything an analysis leaves, in one folder: report.md, report.html and the data; says what was written.

    report.md is short unless `full`: the page and the data have everything in any case. `forms` are written beside it:
    github, csv, junit.
    """
    from blade.output import write_all  # noqa: PLC0415 - templates and markup: only where a report is written
    from blade.quoted_evidence import collect  # noqa: PLC0415 - as above

    with stage("open the evidence"):
        exhibits = collect(analysis, runs)
    with stage("word the report"):
        analysis = _with_changed_files(analysis, runs)
        worded_report = report(analysis, pictures=True)
    with stage("write the files"):
        form_texts = {plugins("renderers")[form].FILE: render_analysis(analysis, form) for form in forms}
        return write_all(Path(folder), runs, analysis, worded_report, exhibits, full=full, further_texts=form_texts)


def _with_changed_files(analysis: Analysis, runs: Sequence[Run]) -> Analysis:
    """The analysis with a flaw for each file that is no longer what was read."""
    raws = {id(run.raw): run.raw for run in runs}.values()
    flaws = dict.fromkeys((*analysis.flaws, *(flaw for raw in raws for flaw in changed_files(raw))))
    return replace(analysis, flaws=tuple(flaws))


def _baseline_first(runs: list[Run], baseline: str | None) -> list[Run]:
    if baseline is None:
        return runs
    whole_name = run_named(baseline, [run.name for run in runs])
    return sorted(runs, key=lambda run: run.name != whole_name)


def _benchmark(runs: Sequence[Run], options: Options) -> str | None:
    """The benchmark's name: given, declared in benchmark.toml, or told alike by all rows."""
    if options.benchmark:
        return options.benchmark
    for run in runs:
        name = run.raw.benchmark.values.get("name")
        if isinstance(name, str):
            return name
    names = set[str]().union(*(benchmark_names(run) for run in runs))
    return names.pop() if len(names) == 1 else None


def examine(context: Context) -> tuple[tuple[Item, ...], tuple[Mapping[str, str], ...]]:
    """What every health check found, in order of its name; and how each ended."""
    items_found: list[Item] = []
    ended = []
    for name, module in plugins("health").items():
        items = module.check(context)
        items_found += items
        ended.append(outcome(name, module, context, items))
    return tuple(items_found), tuple(ended)


def _inventory(runs: Sequence[Run]) -> tuple[File, ...]:
    """Files that stand beside the runs and belong to none of them."""
    own_paths = {file.path for run in runs for file in run.files}
    return tuple({file.path: file for run in runs for file in run.raw.listed if file.path not in own_paths}.values())


def _flaws(runs: Sequence[Run], measured: Sequence[Measured]) -> tuple[Flaw, ...]:
    flaws: dict[Flaw, None] = {}
    for run, item in zip(runs, measured, strict=True):
        for flaw in run.raw.flaws:
            flaws.setdefault(flaw)
        for flaw in item.flaws:
            place = flaw.file or run.name
            flaws.setdefault(Flaw(flaw.slug, flaw.statement, place, flaw.line, flaw.rows))
    return tuple(flaws)
