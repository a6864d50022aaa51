"""The numbers that are counted from runs: by run, task, level, mode, status, bucket, and their pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.checking.numbers import leaves
from blade.counting.run import Run
from blade.diagnosis.cases import all_cases
from blade.diagnosis.modes import find_modes
from blade.judge.number_index import Known
from blade.judge.vocabulary import Thing
from blade.judge.words import content
from blade.model import Analysis, RunAnalysis

_PASSING = frozenset(content("pass passes passed solve attempt attempts rollouts tries task"))
_FAILING = frozenset(content("fail fails failed failure failing attempts rollouts task"))


def counted(analysis: Analysis) -> Iterator[Known]:
    """Every count and rate of an analysis, with what it belongs to."""
    for run in analysis.runs:
        yield from _of_run(run)
    failed: Counter[str] = Counter()
    for mode in analysis.modes:
        failed.update({name: int(cell.get("rollouts", 0)) for name, cell in mode.runs.items()})
    for mode in analysis.modes:
        yield from _of_mode(mode.id, mode.name, mode.runs, failed)
    yield from _of_tasks(analysis)
    yield from _pairs(analysis)
    yield from _of_changes(analysis)
    for stage in analysis.funnel:
        for name, reached in stage["runs"].items():
            things, words = (
                frozenset((Thing("run", name),)),
                frozenset(content(f"{stage['stage']} stage reach rollout")),
            )
            told = {key: value for key, value in reached.items() if key != "lost"}
            yield from _numbers(told, things, words, f"{stage['stage']} in {name}")
            if reached.get("of"):
                yield _ratio(reached["reached"], reached["of"], things, words, f"{stage['stage']} in {name}")
    for item in (*analysis.health, *analysis.contrasts):
        words = frozenset(content(str(item.get("statement", ""))))
        yield from _numbers(
            {key: value for key, value in item.items() if key != "evidence"},
            frozenset(),
            words,
            str(item.get("check", "contrast")),
        )


def _of_run(run: RunAnalysis) -> Iterator[Known]:
    name = Thing("run", run.name)
    plain: dict[str, Any] = {
        "score mean reward pass rate": run.metrics,
        "tasks": run.tasks,
        "rollouts attempts": run.rollouts,
        "tokens median": run.tokens,
        "endings end": run.endings,
    }
    for told_as, value in plain.items():
        yield from _numbers(value, frozenset((name,)), frozenset(content(told_as)), f"{run.name}: {told_as.split()[0]}")
    for status, many in run.statuses.items():
        things = frozenset((name, Thing("status", status)))
        words = frozenset(content(f"{status} rollouts attempts"))
        yield _one(many, things, words, f"{status} in {run.name}")
        yield from _share(many, run.rollouts, things, words, f"{status} in {run.name}")
    for bucket, many in (run.buckets or {}).items():
        things = frozenset((name, Thing("bucket", bucket)))
        words = frozenset(content(f"{bucket} pass fail tasks solve"))
        yield _one(many, things, words, f"{bucket} in {run.name}")
        yield from _share(many, run.tasks, things, words, f"{bucket} in {run.name}")
    for line in run.slices:
        things = frozenset((name, Thing(str(line["field"]), str(line["level"]))))
        words = frozenset(content(f"{line['field']} {line['level']} score pass rate tasks rollouts slice"))
        told = f"{line['level']} in {run.name}"
        yield from _numbers(
            {key: line.get(key) for key in ("tasks", "rollouts", "score", "interval", "passes")}, things, words, told
        )
        if line.get("passes") is not None:
            yield _ratio(line["passes"], line["rollouts"], things, words, told)
            yield _ratio(line["rollouts"] - line["passes"], line["rollouts"], things, words, told)
            yield _one(line["rollouts"] - line["passes"], things, words, told)
            yield _one(1 - line["passes"] / line["rollouts"] if line["rollouts"] else 0.0, things, words, told)


def _of_mode(
    mode: str, title: str, runs: Mapping[str, Mapping[str, Any]], failed: Mapping[str, int]
) -> Iterator[Known]:
    for name, cell in runs.items():
        things = frozenset((Thing("run", name), Thing("mode", mode)))
        words = frozenset(content(f"{title} rollouts failures failed tasks"))
        told = f"{title} in {name}"
        yield from _numbers(
            {key: cell.get(key) for key in ("rollouts", "tasks", "share_of_failures")}, things, words, told
        )
        yield _ratio(int(cell.get("rollouts", 0)), failed[name], things, words, told)


def _of_tasks(analysis: Analysis) -> Iterator[Known]:
    for run in analysis.runs:
        results = [
            result for task in analysis.tasks if (result := task.runs.get(run.name)) and result.passes is not None
        ]
        passes, attempts = sum(one.passes or 0 for one in results), sum(one.attempts for one in results)
        things = frozenset((Thing("run", run.name),))
        yield _ratio(passes, attempts, things, _PASSING, f"passes of {run.name}")
        yield _ratio(attempts - passes, attempts, things, _FAILING, f"failures of {run.name}")
    for task in analysis.tasks:
        tasks = frozenset((task.task,))
        for name, result in task.runs.items():
            if result.passes is None:
                continue
            things = frozenset((Thing("run", name),))
            told = f"{task.task} in {name}"
            for many, words in ((result.passes, _PASSING), (result.attempts - result.passes, _FAILING)):
                yield Known(float(many), things, words, told, tasks, of=result.attempts)
                yield Known(float(many), things, words, told, tasks)
            yield Known(float(result.attempts), things, _PASSING | _FAILING, told, tasks)
            if result.mean is not None:
                yield Known(result.mean, things, _PASSING, told, tasks)


def _pairs(analysis: Analysis) -> Iterator[Known]:
    """Buckets inside levels: how many tasks of a level never pass."""
    for run in analysis.runs:
        wholes: Counter[tuple[str, str]] = Counter()
        cells: Counter[tuple[str, str, str]] = Counter()
        for task in analysis.tasks:
            result = task.runs.get(run.name)
            if result is None or result.bucket is None:
                continue
            for field, level in task.slices.items():
                wholes[field, str(level)] += 1
                cells[field, str(level), result.bucket.value] += 1
        for (field, level, bucket), many in cells.items():
            things = frozenset((Thing("run", run.name), Thing(field, level), Thing("bucket", bucket)))
            words = frozenset(content(f"{field} {level} {bucket} pass fail tasks"))
            told = f"{level}, {bucket} in {run.name}"
            whole = wholes[field, level]
            yield _one(many, things, words, told)
            yield from _share(many, whole, things, words, told)


def modes_of_tasks(runs: Sequence[Run]) -> dict[tuple[str, str, str], int]:
    """How many failed rollouts of (run, task) are of a mode."""
    made: Counter[tuple[str, str, str]] = Counter()
    for run in runs:
        cases = all_cases([run], [])
        find_modes(cases)
        made.update((run.name, case.label, case.mode) for case in cases[0].failing if case.mode)
    return dict(made)


def of_modes(analysis: Analysis, found: Mapping[tuple[str, str, str], int]) -> Iterator[Known]:
    """Modes by task, and by the levels and buckets of the tasks."""
    tasks = {task.task: task for task in analysis.tasks}
    names = {mode.id: mode.name for mode in analysis.modes}
    cells: Counter[tuple[str, str, Thing]] = Counter()
    wholes: Counter[tuple[str, Thing]] = Counter()
    for (run, task, mode), many in found.items():
        known = tasks.get(task)
        result = known.runs.get(run) if known else None
        things = frozenset((Thing("run", run), Thing("mode", mode)))
        words = frozenset(content(f"{names.get(mode, mode)} failed failures rollouts task"))
        told = f"{names.get(mode, mode)}: {task} in {run}"
        yield Known(float(many), things, words, told, frozenset((task,)))
        if known is None or result is None:
            continue
        if result.passes is not None:
            yield Known(float(many), things, words, told, frozenset((task,)), of=result.attempts - result.passes)
            yield Known(float(many), things, words, told, frozenset((task,)), of=result.attempts)
        here = [Thing(field, str(level)) for field, level in known.slices.items()]
        for thing in [*here, Thing("bucket", result.bucket.value)] if result.bucket else here:
            cells[run, mode, thing] += many
            wholes[run, thing] += many
    for (run, mode, thing), many in cells.items():
        things = frozenset((Thing("run", run), Thing("mode", mode), thing))
        words = frozenset(content(f"{names.get(mode, mode)} {thing.name} failed failures rollouts tasks"))
        yield _one(many, things, words, f"{names.get(mode, mode)}: {thing.name} in {run}")
        yield from _share(many, wholes[run, thing], things, words, f"{names.get(mode, mode)}: {thing.name} in {run}")
        total = sum(n for (r, _, m), n in found.items() if (r, m) == (run, mode))
        yield from _share(many, total, things, words, f"{names.get(mode, mode)}: {thing.name} in {run}")


def _of_changes(analysis: Analysis) -> Iterator[Known]:
    for change in analysis.changes:
        things = frozenset((Thing("run", change.base), Thing("run", change.candidate)))
        words = frozenset(content("score change difference delta points interval lost gained against"))
        told = f"{change.candidate} against {change.base}"
        value = {
            key: getattr(change, key)
            for key in ("delta", "delta_common", "delta_zero_fill", "interval", "p", "mde", "common_tasks")
        }
        yield from _numbers(value, things, words, told)
        for part in change.parts:
            of_part = words | frozenset(content(f"{part.cause} {part.sub or ''} cause part named"))
            yield from _numbers(
                {"points": part.points, "interval": part.interval, "rollouts": part.rollouts, "tasks": len(part.tasks)},
                things,
                of_part,
                f"{part.cause}, {told}",
            )
        for name in (change.base, change.candidate):
            for flip in change.flips:
                passes, of = flip["base" if name == change.base else "candidate"]
                yield Known(
                    float(passes), frozenset((Thing("run", name),)), _PASSING, told, frozenset((flip["task"],)), of=of
                )


def _numbers(value: Any, things: frozenset[Thing], words: frozenset[str], text: str) -> Iterator[Known]:
    for figure in leaves(value):
        more = frozenset(content(" ".join(str(key) for key in figure.path)))
        yield Known(figure.value, things, words | more, f"{text}: {'.'.join(map(str, figure.path))}")


def _one(value: float, things: frozenset[Thing], words: frozenset[str], text: str) -> Known:
    return Known(float(value), things, words, text)


def _ratio(many: int, whole: int, things: frozenset[Thing], words: frozenset[str], text: str) -> Known:
    return Known(float(many), things, words, text, of=whole)


def _share(many: int, whole: int, things: frozenset[Thing], words: frozenset[str], text: str) -> Iterator[Known]:
    if whole:
        yield Known(many / whole, things, words, text)
        yield _ratio(many, whole, things, words, text)
