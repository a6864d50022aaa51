"""The numbers that are counted from runs: by run, task, level, mode, status, bucket, and their pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.checking.numbers import leaves
from blade.counting.run import Run
from blade.diagnosis.cases import all_cases
from blade.diagnosis.modes import find_modes
from blade.judge.number_index import KnownNumber
from blade.judge.vocabulary import Entity
from blade.judge.words import content
from blade.model import Analysis, RunAnalysis

_PASSING = frozenset(content("pass passes passed solve attempt attempts rollouts tries task"))
_FAILING = frozenset(content("fail fails failed failure failing attempts rollouts task"))


def counted_facts(analysis: Analysis) -> Iterator[KnownNumber]:
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
            entities, words = (
                frozenset((Entity("run", name),)),
                frozenset(content(f"{stage['stage']} stage reach rollout")),
            )
            figures = {key: value for key, value in reached.items() if key != "lost"}
            yield from _numbers(figures, entities, words, f"{stage['stage']} in {name}")
            if reached.get("of"):
                yield _ratio(reached["reached"], reached["of"], entities, words, f"{stage['stage']} in {name}")
    for item in (*analysis.health, *analysis.contrasts):
        words = frozenset(content(str(item.get("statement", ""))))
        yield from _numbers(
            {key: value for key, value in item.items() if key != "evidence"},
            frozenset(),
            words,
            str(item.get("check", "contrast")),
        )


def _of_run(run: RunAnalysis) -> Iterator[KnownNumber]:
    name = Entity("run", run.name)
    plain: dict[str, Any] = {
        "score mean reward pass rate": run.metrics,
        "tasks": run.tasks,
        "rollouts attempts": run.rollouts,
        "tokens median": run.tokens,
        "endings end": run.endings,
    }
    for told_as, value in plain.items():
        yield from _numbers(value, frozenset((name,)), frozenset(content(told_as)), f"{run.name}: {told_as.split()[0]}")
    for status, count in run.statuses.items():
        entities = frozenset((name, Entity("status", status)))
        words = frozenset(content(f"{status} rollouts attempts"))
        yield _number(count, entities, words, f"{status} in {run.name}")
        yield from _share(count, run.rollouts, entities, words, f"{status} in {run.name}")
    for bucket, count in (run.buckets or {}).items():
        entities = frozenset((name, Entity("bucket", bucket)))
        words = frozenset(content(f"{bucket} pass fail tasks solve"))
        yield _number(count, entities, words, f"{bucket} in {run.name}")
        yield from _share(count, run.tasks, entities, words, f"{bucket} in {run.name}")
    for line in run.slices:
        entities = frozenset((name, Entity(str(line["field"]), str(line["level"]))))
        words = frozenset(content(f"{line['field']} {line['level']} score pass rate tasks rollouts slice"))
        text = f"{line['level']} in {run.name}"
        yield from _numbers(
            {key: line.get(key) for key in ("tasks", "rollouts", "score", "interval", "passes")}, entities, words, text
        )
        if line.get("passes") is not None:
            yield _ratio(line["passes"], line["rollouts"], entities, words, text)
            yield _ratio(line["rollouts"] - line["passes"], line["rollouts"], entities, words, text)
            yield _number(line["rollouts"] - line["passes"], entities, words, text)
            yield _number(1 - line["passes"] / line["rollouts"] if line["rollouts"] else 0.0, entities, words, text)


def _of_mode(
    mode: str, title: str, runs: Mapping[str, Mapping[str, Any]], failed: Mapping[str, int]
) -> Iterator[KnownNumber]:
    for name, cell in runs.items():
        entities = frozenset((Entity("run", name), Entity("mode", mode)))
        words = frozenset(content(f"{title} rollouts failures failed tasks"))
        text = f"{title} in {name}"
        yield from _numbers(
            {key: cell.get(key) for key in ("rollouts", "tasks", "share_of_failures")}, entities, words, text
        )
        yield _ratio(int(cell.get("rollouts", 0)), failed[name], entities, words, text)


def _of_tasks(analysis: Analysis) -> Iterator[KnownNumber]:
    for run in analysis.runs:
        results = [
            result for task in analysis.tasks if (result := task.runs.get(run.name)) and result.passes is not None
        ]
        passes, attempts = sum(result.passes or 0 for result in results), sum(result.attempts for result in results)
        entities = frozenset((Entity("run", run.name),))
        yield _ratio(passes, attempts, entities, _PASSING, f"passes of {run.name}")
        yield _ratio(attempts - passes, attempts, entities, _FAILING, f"failures of {run.name}")
    for task in analysis.tasks:
        tasks = frozenset((task.task,))
        for name, result in task.runs.items():
            if result.passes is None:
                continue
            entities = frozenset((Entity("run", name),))
            text = f"{task.task} in {name}"
            for count, words in ((result.passes, _PASSING), (result.attempts - result.passes, _FAILING)):
                yield KnownNumber(float(count), entities, words, text, tasks, of=result.attempts)
                yield KnownNumber(float(count), entities, words, text, tasks)
            yield KnownNumber(float(result.attempts), entities, _PASSING | _FAILING, text, tasks)
            if result.mean is not None:
                yield KnownNumber(result.mean, entities, _PASSING, text, tasks)


def _pairs(analysis: Analysis) -> Iterator[KnownNumber]:
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
        for (field, level, bucket), count in cells.items():
            entities = frozenset((Entity("run", run.name), Entity(field, level), Entity("bucket", bucket)))
            words = frozenset(content(f"{field} {level} {bucket} pass fail tasks"))
            text = f"{level}, {bucket} in {run.name}"
            total = wholes[field, level]
            yield _number(count, entities, words, text)
            yield from _share(count, total, entities, words, text)


def modes_of_tasks(runs: Sequence[Run]) -> dict[tuple[str, str, str], int]:
    """How many failed rollouts of (run, task) are of a mode."""
    counts: Counter[tuple[str, str, str]] = Counter()
    for run in runs:
        cases = all_cases([run], [])
        find_modes(cases)
        counts.update((run.name, case.label, case.mode) for case in cases[0].failing if case.mode)
    return dict(counts)


def of_modes(analysis: Analysis, mode_counts: Mapping[tuple[str, str, str], int]) -> Iterator[KnownNumber]:
    """Modes by task, and by the levels and buckets of the tasks."""
    tasks = {task.task: task for task in analysis.tasks}
    names = {mode.id: mode.name for mode in analysis.modes}
    cells: Counter[tuple[str, str, Entity]] = Counter()
    wholes: Counter[tuple[str, Entity]] = Counter()
    for (run, task, mode), count in mode_counts.items():
        task_result = tasks.get(task)
        result = task_result.runs.get(run) if task_result else None
        entities = frozenset((Entity("run", run), Entity("mode", mode)))
        words = frozenset(content(f"{names.get(mode, mode)} failed failures rollouts task"))
        text = f"{names.get(mode, mode)}: {task} in {run}"
        yield KnownNumber(float(count), entities, words, text, frozenset((task,)))
        if task_result is None or result is None:
            continue
        if result.passes is not None:
            yield KnownNumber(
                float(count), entities, words, text, frozenset((task,)), of=result.attempts - result.passes
            )
            yield KnownNumber(float(count), entities, words, text, frozenset((task,)), of=result.attempts)
        slice_entities = [Entity(field, str(level)) for field, level in task_result.slices.items()]
        for entity in [*slice_entities, Entity("bucket", result.bucket.value)] if result.bucket else slice_entities:
            cells[run, mode, entity] += count
            wholes[run, entity] += count
    for (run, mode, entity), count in cells.items():
        entities = frozenset((Entity("run", run), Entity("mode", mode), entity))
        words = frozenset(content(f"{names.get(mode, mode)} {entity.name} failed failures rollouts tasks"))
        yield _number(count, entities, words, f"{names.get(mode, mode)}: {entity.name} in {run}")
        yield from _share(
            count, wholes[run, entity], entities, words, f"{names.get(mode, mode)}: {entity.name} in {run}"
        )
        total = sum(n for (r, _, m), n in mode_counts.items() if (r, m) == (run, mode))
        yield from _share(count, total, entities, words, f"{names.get(mode, mode)}: {entity.name} in {run}")


def _of_changes(analysis: Analysis) -> Iterator[KnownNumber]:
    for change in analysis.changes:
        entities = frozenset((Entity("run", change.base), Entity("run", change.candidate)))
        words = frozenset(content("score change difference delta points interval lost gained against"))
        text = f"{change.candidate} against {change.base}"
        value = {
            key: getattr(change, key)
            for key in ("delta", "delta_common", "delta_zero_fill", "interval", "p", "mde", "common_tasks")
        }
        yield from _numbers(value, entities, words, text)
        for part in change.parts:
            of_part = words | frozenset(content(f"{part.cause} {part.sub or ''} cause part named"))
            yield from _numbers(
                {"points": part.points, "interval": part.interval, "rollouts": part.rollouts, "tasks": len(part.tasks)},
                entities,
                of_part,
                f"{part.cause}, {text}",
            )
        for name in (change.base, change.candidate):
            for flip in change.flips:
                passes, of = flip["base" if name == change.base else "candidate"]
                yield KnownNumber(
                    float(passes), frozenset((Entity("run", name),)), _PASSING, text, frozenset((flip["task"],)), of=of
                )


def _numbers(value: Any, entities: frozenset[Entity], words: frozenset[str], text: str) -> Iterator[KnownNumber]:
    for figure in leaves(value):
        path_words = frozenset(content(" ".join(str(key) for key in figure.path)))
        yield KnownNumber(figure.value, entities, words | path_words, f"{text}: {'.'.join(map(str, figure.path))}")


def _number(value: float, entities: frozenset[Entity], words: frozenset[str], text: str) -> KnownNumber:
    return KnownNumber(float(value), entities, words, text)


def _ratio(count: int, total: int, entities: frozenset[Entity], words: frozenset[str], text: str) -> KnownNumber:
    return KnownNumber(float(count), entities, words, text, of=total)


def _share(
    count: int, total: int, entities: frozenset[Entity], words: frozenset[str], text: str
) -> Iterator[KnownNumber]:
    if total:
        yield KnownNumber(count / total, entities, words, text)
        yield _ratio(count, total, entities, words, text)
