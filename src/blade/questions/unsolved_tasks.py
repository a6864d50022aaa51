"""Which tasks does no run pass, and does the same check or the same message of the verifier stop them all?

What every run of every agent fails alike, while it does the rest, is more likely the task's or its test's fault.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from blade.diagnosis.cases import RunCases
from blade.diagnosis.copies import independent_runs
from blade.diagnosis.faulty_tests import OTHER_NAME, REFUSED_OPTION, UNNAMED_KEY, WRONG_TEST
from blade.diagnosis.remedies import LOOP_RULES
from blade.diagnosis.unnamed_files import unnamed_files
from blade.diagnosis.verifier_complaints import ASSERTED, Complaints, complaints_of, errors_of, plainest_lines
from blade.document import Advice, Block, Bullets, Paragraph, Sentence, Table, say
from blade.findings import OF_VERIFIER, TaskFault
from blade.late_regex import late_regex
from blade.model import Source, Status
from blade.questions import in_order, judged, task_list, task_words, uneven_parts
from blade.wording import abridged, amount, count, fact, listed

TITLE = "Tasks that no run passes"
ORDER = 70
_EQUALS = " == "
WEIGHT = 1.5
FEWEST_ROWS = 3
"""So few rollouts, and no task is suspected; what they have in common is told all the same."""
FEWEST_RUNS = 2
FEWEST_ENDING = 8
NEARLY_ALL = 0.9
"""Of the rollouts at a task: so many end by themselves where all runs do the work and fail."""
STOPPED = frozenset({"context_overflow", *LOOP_RULES})
NOT_STARTED = "not_started"
MOST_TASKS = 80
MOST_SHOWN = 14
MOST_NAMED = 20
MOST_TASKS_NAMED = 12
MOST_CHECKS = 3
MOST_AT_FAULT = 3
"""Where more checks stop all work, the work itself lacks something."""
_STRENGTH = (
    *("test_breaks", OTHER_NAME, REFUSED_OPTION, UNNAMED_KEY, "unnamed_file"),
    *("one_check", "same_check", ""),
)
"""Why a task may be at fault, the plainest reason first."""
DEFECTS, ALIKE = frozenset(_STRENGTH[:5]), frozenset(_STRENGTH[5:7])
"""What a verifier shows of itself; what stops every run alike, which may be a wrong test or a hard task."""
_COLLECTS = late_regex(r"\bcollect(?:ed 0|ing|ion)\b", re.IGNORECASE)
_TEST_BREAKS = late_regex(
    r"\b(?:Type|Key|Name|Attribute|Import|ModuleNotFound|Syntax|Indentation|Index|UnboundLocal|NotImplemented)Error\b"
)
"""Errors of the code that tests, where an honest test would fail an assertion."""


@dataclass(slots=True)
class _Task:
    """One task over all runs: its rollouts that happened, and what their verifiers say."""

    label: str
    runs: set[str] = field(default_factory=set)
    judged: int = 0
    passes: int = 0
    sources: list[Source] = field(default_factory=list)
    failed_checks: list[frozenset[str]] = field(default_factory=list)
    checks: set[str] = field(default_factory=set)
    partly: int = 0
    """Rollouts that pass some check and not all."""
    by_itself: int = 0
    """Rollouts that ended without an error and short of any limit."""
    late: int = 0
    """Rollouts whose time ran out."""
    unstarted: list[frozenset[str]] = field(default_factory=list)
    """The failed checks of rows whose agent never started: what fails there is no agent's doing."""


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Tasks by how many runs pass them; of those that none passes, what all their judged rollouts have in common."""
    with_tasks = [run for run in runs if judged(run)]
    if len(independent_runs(with_tasks)) < FEWEST_RUNS:
        return None
    tasks = _tasks(runs)
    if not any(len(parts) > 1 for parts in tasks.values()):
        return None
    passing = {key: sum(bool(task.passes) for task in parts.values()) for key, parts in tasks.items()}
    common = [key for key, parts in tasks.items() if len(parts) == len(with_tasks)]
    none = [key for key in tasks if not passing[key]]
    merged = {key: _merged(tasks[key].values()) for key in none}
    alike = _alike(merged, [part for parts in tasks.values() for part in parts.values() if part.passes])
    return {
        "runs": [run.run.name for run in with_tasks],
        "tasks": len(tasks),
        "common": len(common),
        "all": sum(passing[key] == len(with_tasks) for key in common),
        "every": sum(passing[key] == len(parts) for key, parts in tasks.items()),
        "always": sum(all(part.passes == part.judged for part in tasks[key].values()) for key in common),
        "repeated": any(part.judged > 1 for parts in tasks.values() for part in parts.values()),
        "none": len(none),
        "parts": uneven_parts(runs, none),
        "unsolved": in_order(merged[key].label for key in none)[:MOST_NAMED],
        "union": len(tasks) - len(none),
        "only": {
            run.run.name: sorted(
                task.label
                for key, parts in tasks.items()
                if passing[key] == 1 < len(parts) and (task := parts.get(run.run.name)) is not None and task.passes
            )
            for run in with_tasks
        },
        "alike": alike,
        "ends": _ends(merged.values()) if not alike else None,
        "without": _without(tasks, alike),
    }


def _ends(tasks: Collection[_Task]) -> dict[str, list[str]] | None:
    """Where no check tells them apart: tasks that all runs finish and fail, and those that mostly break off."""
    several = [task for task in tasks if task.judged >= FEWEST_ENDING and len(task.runs) >= FEWEST_RUNS]
    finished = in_order(task.label for task in several if task.by_itself >= NEARLY_ALL * task.judged)
    broken = in_order(task.label for task in several if 2 * task.by_itself <= task.judged)
    return {"finished": finished, "broken": broken} if finished and broken else None


def _without(tasks: Mapping[str, Mapping[str, _Task]], alike: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, int]]:
    """Per run the passes and the judged rollouts on all tasks but those whose test is at fault; {} where none is."""
    faulty = {entry["task"] for entry in alike if entry["suspect"] in DEFECTS}
    left: defaultdict[str, dict[str, int]] = defaultdict(lambda: {"passes": 0, "judged": 0})
    for parts in tasks.values() if faulty else ():
        for run, part in parts.items():
            if part.label not in faulty:
                left[run]["passes"] += part.passes
                left[run]["judged"] += part.judged
    return dict(left)


def _tasks(runs: Sequence[RunCases]) -> dict[str, dict[str, _Task]]:
    tasks: defaultdict[str, dict[str, _Task]] = defaultdict(dict)
    for run in runs:
        checks = _checks(run)
        for case in judged(run):
            task = tasks[case.key].setdefault(run.run.name, _Task(case.label))
            task.runs.add(run.run.name)
            task.judged += 1
            task.passes += bool(case.passed)
            task.by_itself += case.state == Status.OK.value and STOPPED.isdisjoint(case.fired())
            task.late += case.state == Status.TIMED_OUT.value
            task.sources.append(Source(*case.place))
            named = checks.get(case.place[:2], {})
            task.checks |= named.keys()
            task.failed_checks.append(frozenset(name for name, passed in named.items() if not passed))
            task.partly += any(named.values())
    _add_unstarted(runs, tasks)
    return dict(tasks)


def _add_unstarted(runs: Sequence[RunCases], tasks: Mapping[str, Mapping[str, _Task]]) -> None:
    """The rows without an agent, each under one run of its task that was judged."""
    for run in runs:
        lost = [case for case in run.cases if case.stage_lost == NOT_STARTED and case.key in tasks]
        checks = _checks(run) if lost else {}
        for case in lost:
            named = checks.get(case.place[:2], {})
            failed = frozenset(name for name, passed in named.items() if not passed)
            next(iter(tasks[case.key].values())).unstarted.append(failed)


def _checks(run: RunCases) -> dict[tuple[str, int], dict[str, int]]:
    """The named checks of every row, by its file and line."""
    rows = run.run.graded.select("file", "line", "checks").drop_nulls().rows()
    return {(run.run.raw.sources[file], line): orjson.loads(checks) for file, line, checks in rows}


def _merged(parts: Any) -> _Task:
    merged: _Task | None = None
    for part in parts:
        if merged is None:
            merged = _Task(part.label)
        merged.runs |= part.runs
        merged.judged += part.judged
        merged.by_itself += part.by_itself
        merged.late += part.late
        merged.sources += part.sources
        merged.failed_checks += part.failed_checks
        merged.checks |= part.checks
        merged.partly += part.partly
        merged.unstarted += part.unstarted
    if merged is None:
        raise ValueError("a task has rows of some run")
    return merged


def _alike(tasks: Mapping[str, _Task], passing: Sequence[_Task]) -> list[dict[str, Any]]:
    """The tasks whose judged rollouts, of two runs or more, all fail the same check or end in the same message."""
    chosen = [task for task in tasks.values() if len(task.runs) >= FEWEST_RUNS]
    chosen.sort(key=lambda task: -task.judged)
    said = complaints_of(
        {task.label: task.sources for task in chosen[:MOST_TASKS]}, [part.sources[0] for part in passing]
    )
    found: list[dict[str, Any]] = []
    for task in chosen:
        names = frozenset.intersection(*task.failed_checks) if all(task.failed_checks) else frozenset()
        others = len(task.checks) - len(names)
        alone = sum(failed == names for failed in task.failed_checks) if names and others else 0
        told = said.shared.get(task.label, [])
        failing = errors_of(names, said.errors.get(task.label, []))
        defect = said.defects.get(task.label)
        if names or told or defect:
            found.append(
                {
                    "task": task.label,
                    "runs": len(task.runs),
                    "judged": task.judged,
                    "checks": sorted(names),
                    "others": others,
                    "alone": alone,
                    "partly": task.partly,
                    "without_agent": sum(bool(names) and names <= failed for failed in task.unstarted),
                    "lines": plainest_lines(told, failing),
                    "suspect": _suspicion(task, names, alone, told, said),
                    "defect": defect._asdict() if defect else None,
                    "unnamed": [],
                }
            )
    found = _with_unnamed(found, {task.label: task.sources[0] for task in chosen})
    found.sort(key=lambda entry: (_STRENGTH.index(entry["suspect"]), -entry["alone"], -entry["judged"], entry["task"]))
    return _with_texts(found, {task.label: task.sources[0] for task in chosen})


def _with_unnamed(found: list[dict[str, Any]], sources: Mapping[str, Source]) -> list[dict[str, Any]]:
    """Tasks whose shared message misses a file that their text never names: nobody could know."""
    unnamed = unnamed_files({entry["task"]: [line["line"] for line in entry["lines"]] for entry in found}, sources)
    for entry in found:
        entry["unnamed"] = unnamed.get(entry["task"], [])
        if entry["unnamed"] and not entry["suspect"] and entry["judged"] >= FEWEST_ROWS:
            entry["suspect"] = "unnamed_file"
    return found


def _with_texts(found: list[dict[str, Any]], sources: Mapping[str, Source]) -> list[dict[str, Any]]:
    """Suspects with what their task asks for, so that the reader can hold the check against it."""
    places = {entry["task"]: _place(sources[entry["task"]]) for entry in found[:MOST_SHOWN] if entry["suspect"]}
    texts = task_words(places.values())
    return [entry | {"asks": texts.get(places.get(entry["task"], ("", 0, 0, 0)), "")} for entry in found]


def _place(source: Source) -> tuple[str, int, int, int]:
    return source.file, source.line, source.offset, source.length


def _suspicion(
    task: _Task, names: Collection[str], alone: int, lines: Sequence[Mapping[str, Any]], said: Complaints
) -> str:
    """Why a task that nobody passes may be at fault itself: a check stops all while others pass, or the test breaks.

    Where nearly all attempts ran out of time, their work was not done, and what a check says of it is no doubt of it.
    """
    if task.judged < FEWEST_ROWS:
        return ""
    if (defect := said.defects.get(task.label)) is not None:
        return defect.kind
    if task.late >= NEARLY_ALL * task.judged:
        return ""
    if 2 * alone > task.judged and len(names) <= MOST_AT_FAULT:
        return "one_check"
    ran = task.label in said.asserted or any(map(ASSERTED.search, task.checks))
    if not ran and any(map(_TEST_BREAKS.search, (*names, *(line["line"] for line in lines)))):
        return "test_breaks"
    few = 0 < len(names) <= MOST_AT_FAULT
    return "same_check" if lines and few and 2 * task.partly >= task.judged else ""


def tell(answer: Mapping[str, Any]) -> list[Block]:
    blocks: list[Block] = [Paragraph(tuple(_overview(answer)))]
    suspects = [(place, entry) for place, entry in enumerate(answer["alike"]) if entry["suspect"]]
    if suspects:
        shown = (Paragraph(tuple(_task(place, entry))) for place, entry in suspects[:MOST_SHOWN])
        blocks.append(Bullets(tuple(shown)))
    rest = [(place, entry) for place, entry in enumerate(answer["alike"]) if not entry["suspect"]]
    if suspects[MOST_SHOWN:]:
        blocks.append(_table(suspects[MOST_SHOWN:], "Stopped in the same ways"))
    if rest:
        blocks.append(_table(rest, "Fails alike in all runs; read these to see whether they are hard or unfair"))
    return blocks


def _table(tasks: Sequence[tuple[int, Mapping[str, Any]]], caption: str) -> Table:
    rows = tuple(_row(place, entry) for place, entry in tasks[:MOST_NAMED])
    left = f"; {count(len(tasks) - MOST_NAMED, 'more task')} in analysis.json" if len(tasks) > MOST_NAMED else ""
    says = "the verifier says"
    says += " (in so many of the logs read)" if any(entry["lines"] for _, entry in tasks) else ""
    return Table(("Task", ">judged rollouts", "fails in all of them", says), rows, caption + left)


def _row(place: int, entry: Mapping[str, Any]) -> tuple[Any, ...]:
    judged_rollouts = amount(entry["judged"], *_AT, "alike", place, "judged")
    return (
        entry["task"],
        judged_rollouts,
        abridged(entry["checks"], 2),
        "; ".join(f"{line['line']} (in {line['rows']:,} of {line['of']:,})" for line in entry["lines"]),
    )


def _overview(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    runs = "both runs" if len(answer["runs"]) == FEWEST_RUNS else f"all {len(answer['runs'])} runs"
    yield say(
        "Of {tasks}, {none} {are} passed by no run{names}, {union} by at least one and {all} by {runs} in the attempts "
        "that were judged.",
        tasks=fact(count(answer["tasks"], "task"), answer["tasks"], *_AT, "tasks"),
        none=amount(answer["none"], *_AT, "none"),
        are="is" if answer["none"] == 1 else "are",
        names=_names(answer["unsolved"], answer["none"]),
        union=amount(answer["union"], *_AT, "union"),
        all=amount(answer["all"], *_AT, "all"),
        runs=runs,
    )
    if answer.get("parts"):
        parts = [f"{level} {unsolved:,} of {tasks:,}" for level, unsolved, tasks in answer["parts"]["levels"]]
        yield say("Those that no run passes, by {field}: {parts}.", field=answer["parts"]["field"], parts=listed(parts))
    if answer["ends"]:
        yield say(
            "In {finished} of those that no run passes ({names}) at least 90% of the rollouts end by themselves, short "
            "of any limit and without an error: check the verifier and the data of these first. In {broken} ({others}) "
            "half or more break off.",
            finished=f"{len(answer['ends']['finished']):,}",
            names=task_list(answer["ends"]["finished"]),
            broken=f"{len(answer['ends']['broken']):,}",
            others=task_list(answer["ends"]["broken"]),
        )
    if answer["every"] > answer["all"]:
        yield say(
            "Some were not judged in every run: {every} {are} passed by each run that was judged on {them}.",
            every=amount(answer["every"], *_AT, "every"),
            are="is" if answer["every"] == 1 else "are",
            them="it" if answer["every"] == 1 else "them",
        )
    if answer["always"] and answer["repeated"]:
        yield say(
            "In {always} that {were} judged in {runs} every judged attempt passes: {they} no run from another.",
            were="was" if answer["always"] == 1 else "were",
            runs=runs,
            they="it tells" if answer["always"] == 1 else "they tell",
            always=fact(count(answer["always"], "task"), answer["always"], *_AT, "always"),
        )
    only = [f"{run} {len(tasks)} ({task_list(tasks, 8)})" for run, tasks in answer["only"].items() if tasks]
    if only:
        yield say("Passed by one run alone: {only}.", only=listed(only))
    shown = [entry["suspect"] for entry in answer["alike"]]
    defects, alike = sum(one in DEFECTS for one in shown), sum(one in ALIKE for one in shown)
    if defects:
        yield say(
            "In {defects} of those that no run passes, the test itself breaks or demands what the task never "
            "names: look at the test before blaming a run. Without the {tasks} whose test is at fault, the judged "
            "rollouts pass: {runs}.",
            defects=f"{defects:,}",
            tasks="task" if defects == 1 else f"{defects:,} tasks",
            runs=listed([_share_left(run, left) for run, left in answer["without"].items()]),
        )
    if alike:
        yield say(
            "In {alike} of those that no run passes, the same checks stop every run while others pass: a wrong "
            "test or a hard task. Check whether the task asks for it, and whether the test can be passed at all.",
            alike=f"{alike:,}",
        )


def _names(labels: Sequence[str], total: int) -> str:
    """The first of the tasks, in brackets, and how many more there are."""
    if total <= MOST_TASKS_NAMED:
        return f" ({task_list(labels)})" if total else ""
    return f" ({', '.join(labels[:MOST_TASKS_NAMED])} and {total - MOST_TASKS_NAMED:,} more)"


def _share_left(run: str, left: Mapping[str, int]) -> str:
    share = f" ({left['passes'] / left['judged']:.1%})" if left["judged"] else ""
    return f"{run} {left['passes']:,} of {left['judged']:,}{share}"


def _task(place: int, entry: Mapping[str, Any]) -> Iterator[Sentence]:
    at = (*_AT, "alike", place)
    facts = {
        "task": entry["task"],
        "judged": fact(count(entry["judged"], "judged rollout"), entry["judged"], *at, "judged"),
        "runs": count(entry["runs"], "run"),
    }
    checks = entry["checks"]
    wrong = WRONG_TEST[entry["suspect"]].format(**entry["defect"]) if entry["suspect"] in WRONG_TEST else ""
    if checks:
        names = listed([f"“{check}”" for check in checks[:MOST_CHECKS]])
        more = f" and {count(len(checks) - MOST_CHECKS, 'more check')}" if len(checks) > MOST_CHECKS else ""
        alone = f", and nothing else fails in {entry['alone']:,} of them" if entry["alone"] else ""
        if entry["suspect"] == "same_check":
            alone = f", while {count(entry['partly'], 'of them passes', 'of them pass')} other checks"
        verb = "fails" if len(checks) == 1 else "fail"
        words = "{task}: {names} " + verb + " in all {judged} of {runs}" + alone + "{wrong}."
        yield say(words, names=names + more, wrong=wrong, **facts)
    else:
        yield say("{task}: none of {judged} of {runs} passes{wrong}.", wrong=wrong, **facts)
    if entry["lines"] and entry["suspect"] not in {OTHER_NAME, REFUSED_OPTION}:  # these say what it is about
        words = "; ".join(f"“{line['line']}” in {line['rows']:,} of {line['of']:,}" for line in entry["lines"])
        yield say("The verifier says {words} of the logs read.", words=words)
    if entry["asks"] and entry["suspect"] not in {
        *WRONG_TEST,
        "test_breaks",
    }:  # what a broken test asks decides nothing
        yield say("The task asks: “{asks}”.", asks=entry["asks"])
    if entry["unnamed"]:
        yield say("The text of the task never names {files}.", files=listed(entry["unnamed"]))
    if entry["suspect"] == "test_breaks":
        collects = next((line for line in entry["lines"] if _COLLECTS.search(line["line"])), None)
        breaks = "The test breaks with an error instead of an assertion"
        if collects is not None:
            breaks = (
                f"An error at collection ends the test in {collects['rows']:,} of {count(collects['of'], 'log')} read"
            )
        yield say("{breaks}: look at the test before blaming a run.", breaks=breaks)
        if entry["without_agent"]:
            rows = count(entry["without_agent"], "row")
            path = (*_AT, "alike", place, "without_agent")
            yield say(
                "It fails the same way in {rows} more in which no agent ran: nothing that an agent does decides it.",
                rows=fact(rows, entry["without_agent"], *path),
            )


_AT = ("investigation", "unsolved_tasks")


def faults(answer: Mapping[str, Any]) -> dict[str, TaskFault]:
    """Task → why its failures are not the model's: the same check alone stops every run, or the test breaks."""
    reasons = {
        "one_check": "the same check alone fails in all judged rollouts of all runs, while the others pass",
        "same_check": "one check fails in all judged rollouts of all runs, while others pass",
        OTHER_NAME: "the test opens a file under another name than the task gives it, in every log that is kept",
        REFUSED_OPTION: "a tool refuses an option of the test's own command, in every log that is kept",
        UNNAMED_KEY: "the test reads a key that the task never names, in every log that is kept",
        "unnamed_file": "the verifier demands a file that the task never names, in all judged rollouts of all runs",
        "test_breaks": "the test itself breaks in all judged rollouts of all runs",
    }
    return {
        entry["task"]: TaskFault(reasons[entry["suspect"]], OF_VERIFIER)
        for entry in answer["alike"]
        if entry["suspect"] in DEFECTS or (entry["suspect"] and _complains_alike(entry))
    }


def _complains_alike(entry: Mapping[str, Any]) -> bool:
    """Whether the logs, where any is kept, say the same of all work, word for word.

    A check that says something else of each attempt (another value, another byte) weighs the work: that no run passes
    it may as well be the task's difficulty. So may it where a test compares a value with the one that it wants, which
    its own line says of whatever comes out.
    """
    lines = entry["lines"]
    compares = any(_EQUALS in line["line"] for line in lines)
    return not lines or (not compares and any(line["word_for_word"] for line in lines))


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """Tasks that may be at fault themselves."""
    defects, alike = (
        [entry["task"] for entry in answer["alike"] if entry["suspect"] in kinds] for kinds in (DEFECTS, ALIKE)
    )
    told = []
    if defects:
        told.append(
            f"in {len(defects):,} of them the test itself breaks or demands what the task never names "
            f"({abridged(defects, 4)})"
        )
    if alike:
        told.append(
            f"in {len(alike):,} the same check fails in every run while other checks pass: a wrong test or a hard "
            f"task ({abridged(alike, 4)})"
        )
    if told:
        yield say(
            "{none} of {tasks} {are} passed by no run; " + " and ".join(told) + ".",
            none=amount(answer["none"], *_AT, "none"),
            are="is" if answer["none"] == 1 else "are",
            tasks=fact(count(answer["tasks"], "task"), answer["tasks"], *_AT, "tasks"),
        )


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """Repair the tests that show a defect of their own; read those that stop every run alike."""
    groups = (
        (
            DEFECTS,
            "Repair the test of {tasks}, or state in the task what it demands, and judge these again",
            "The test itself breaks, or demands what the task never names, in {many}.",
            0.5,
        ),
        (
            ALIKE,
            "Compare the test of {tasks} with the task's text; repair it where it asks for more, and judge these again",
            "No run passes them, and the same check stops {many}: the test may be wrong, or the task hard.",
            0.3,
        ),
    )
    for kinds, change, because, sure in groups:
        suspects = [entry for entry in answer["alike"] if entry["suspect"] in kinds]
        if suspects:
            many = sum(entry["judged"] for entry in suspects)
            tasks = abridged([entry["task"] for entry in suspects], 8)
            yield Advice("verifier", change.format(tasks=tasks), say(because, many=count(many, "rollout")), many, sure)
