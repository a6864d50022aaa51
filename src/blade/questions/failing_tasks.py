"""What does the record of each failing task show, in a line: where do its attempts go wrong, and who passes it?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from blade.counting.tasks import natural
from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.effective_key import refused_changes
from blade.diagnosis.record_lines import RecordLine, record_kind, record_line
from blade.diagnosis.rollout_causes import rollout_causes
from blade.document import Block, Fact, Paragraph, Table, say
from blade.extract.text import clip
from blade.questions import by_task, judged, shared_last_calls
from blade.wording import abridged, count, fact, listed, printable

TITLE = "Each failing task in a line"
ORDER = 65
SECTION = "failing_tasks"
"""Where the answer is told: beside the deep dives."""
FEW_RUNS = 2
ROOM_OF_FEW, ROOM_OF_MANY = 420, 500
"""So many words may the first table have, of one or two runs and of more."""
MOST_ROWS = 200
MOST_ALIKE = 4
"""Rows of one kind of evidence in the first table, where not all rows have room."""
WAYS_OF_FEW, WAYS_OF_MANY = 2, 1
MOST_NAMES, MOST_LABELS = 3, 6
MARKS = 5
TELLING = 0.2
"""A sign in fewer of a task's failures tells little of it."""
NOT_KNOWN = "not known"
LAST_CALL = "last call"
LONGEST_CALL = 90
DIFFERS, SOMETIMES, NEVER = "differs", "sometimes", "never"
_OUTCOMES = (DIFFERS, SOMETIMES, NEVER)


@dataclass(frozen=True)
class _FailingTask:
    """The judged attempts at a task of which some fail, by run; `kind` is what most of its failures show."""

    label: str
    attempts: Mapping[str, Sequence[Case]]
    kind: str

    @cached_property
    def failures(self) -> list[Case]:
        return [case for cases in self.attempts.values() for case in cases if not case.passed]

    @cached_property
    def gap(self) -> float:
        """Between the run that passes it most often and the one that does least."""
        shares = [sum(bool(case.passed) for case in cases) / len(cases) for cases in self.attempts.values()]
        return max(shares) - min(shares)

    @property
    def outcome(self) -> str:
        if self.gap:
            return DIFFERS
        return SOMETIMES if any(case.passed for cases in self.attempts.values() for case in cases) else NEVER


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Rows of failing tasks, one for each kind of evidence first; how many of them the first table holds.

    Tasks that fail in the same runs and show the same, word for word, are one row.
    """
    causes, refused, ends = rollout_causes(runs), refused_changes(runs), _shared_ends(runs)

    def line(case: Case) -> RecordLine:
        shown = record_line(case, causes.get(id(case)), refused)
        return shown if shown.words else RecordLine(LAST_CALL, ends.get(id(case), ""))

    def kind(case: Case) -> str:
        return record_kind(case, causes.get(id(case))) or (LAST_CALL if id(case) in ends else "")

    tasks = _failing_tasks(runs, kind)
    if not any(task.kind for task in tasks):
        return None
    names = [run.run.name for run in runs]
    rows = _joined([_entry(task, line) for task in _most_telling(tasks)], names)
    first = _chosen(rows, names)
    others = [row for row in rows if not any(row is chosen for chosen in first)][: MOST_ROWS - len(first)]
    return {
        "runs": names,
        "failing": len(tasks),
        "first": len(first),
        "rows": [*_in_reading_order(first), *_in_reading_order(others)],
    }


def _shared_ends(runs: Sequence[RunCases]) -> dict[int, str]:
    """Failures that end with a last call that goes with failing in their run, and how many end so, in words."""
    ends: dict[int, str] = {}
    for _, having, rows, _ in shared_last_calls(runs):
        tool, arguments, _ = having[0].observed["closing"]
        (failing, of_failing), (passing, of_passing) = (
            [sum(bool(case.passed) is passed for case in some) for some in (having, rows)] for passed in (False, True)
        )
        words = f"ends with {clip(printable(f'{tool} {arguments}'.strip()), LONGEST_CALL)}, as do {failing:,} of "
        words += f"{count(of_failing, 'failure')} and {passing:,} of {count(of_passing, 'pass', 'passes')} of its run"
        ends |= {id(case): words for case in having if not case.passed}
    return ends


def _failing_tasks(runs: Sequence[RunCases], kind: Callable[[Case], str]) -> list[_FailingTask]:
    attempts: dict[str, dict[str, list[Case]]] = {}
    for run in runs:
        for key, cases in by_task(judged(run)).items():
            attempts.setdefault(key, {})[run.run.name] = cases
    tasks = []
    for by_run in attempts.values():
        failing = [case for cases in by_run.values() for case in cases if not case.passed]
        if failing:
            kinds = Counter(map(kind, failing))
            commonest = min(kinds, key=lambda name: (not name, -kinds[name], name))
            telling = kinds[commonest] >= TELLING * len(failing)
            tasks.append(_FailingTask(failing[0].label, by_run, commonest if telling else ""))
    return tasks


def _most_telling(tasks: Sequence[_FailingTask]) -> list[_FailingTask]:
    """A task of each kind of evidence, then those that decide most of the difference; without evidence last."""
    ordered = sorted(tasks, key=lambda task: (not task.kind, -task.gap, -len(task.failures), natural(task.label)))
    firsts = {task.kind: task for task in reversed(ordered) if task.kind}
    representatives = {id(task) for task in firsts.values()}
    return sorted(ordered, key=lambda task: (not task.kind, id(task) not in representatives))


def _entry(task: _FailingTask, line: Callable[[Case], RecordLine]) -> dict[str, Any]:
    ways: dict[str, list[tuple[str, Case]]] = {}
    for case in task.failures:
        shown = line(case)
        ways.setdefault(shown.kind if shown.words else "", []).append((shown.words, case))
    entries = [_way(lines) for lines in ways.values()]
    return {
        "tasks": [task.label],
        "outcome": task.outcome,
        "kind": task.kind,
        "failures": len(task.failures),
        "judged": sum(map(len, task.attempts.values())),
        "runs": {run: [sum(not case.passed for case in cases), len(cases)] for run, cases in task.attempts.items()},
        "ways": sorted(entries, key=lambda way: (not way["words"], -sum(way["runs"].values()), way["words"])),
    }


def _way(lines: Sequence[tuple[str, Case]]) -> dict[str, Any]:
    """What failures of one kind show: the words of the most telling attempt, and whether all have just these.

    Spaces do not count: the arguments of one call may be written with them and without.
    """
    solid = {words: _without_spaces(words) for words, _ in lines}
    counts = Counter(solid[words] for words, _ in lines)
    words = min(solid, key=lambda line: ("“" not in line, -counts[solid[line]], line))
    runs = Counter(case.run for _, case in lines)
    return {
        "words": words,
        "alike": len(counts) == 1,
        "often": counts[solid[words]],
        "runs": {run: runs[run] for run in sorted(runs)},
    }


def _without_spaces(line: str) -> str:
    return "".join(line.split())


def _joined(entries: Sequence[dict[str, Any]], names: Sequence[str]) -> list[dict[str, Any]]:
    """The entries, in order, each with the tasks of those that read the same."""
    rows: dict[tuple[str, ...], dict[str, Any]] = {}
    for entry in entries:
        row = rows.setdefault(_cells(entry, names), entry)
        if row is not entry:
            row["tasks"] += entry["tasks"]
    return list(rows.values())


def _chosen(rows: Sequence[dict[str, Any]], names: Sequence[str]) -> list[dict[str, Any]]:
    """All rows where they have room; else the first of each kind of evidence, as many as have, one at least."""
    room = ROOM_OF_FEW if len(names) <= FEW_RUNS else ROOM_OF_MANY
    sizes = [MARKS + sum(len(cell.split()) for cell in (_labels(row), *_cells(row, names))) for row in rows]
    if sum(sizes) <= room:
        return list(rows)
    chosen: list[dict[str, Any]] = []
    kinds: Counter[str] = Counter()
    for row, size in zip(rows, sizes, strict=True):
        kinds[row["kind"]] += 1
        if row["kind"] and kinds[row["kind"]] <= MOST_ALIKE and (size <= room or not chosen):
            chosen.append(row)
            room -= size
    return chosen


def _in_reading_order(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """By outcome; those that show the same kind of evidence stand together."""
    sizes = Counter(row["kind"] for row in rows)
    return sorted(
        rows,
        key=lambda row: (
            _OUTCOMES.index(row["outcome"]),
            not row["kind"],
            -sizes[row["kind"]],
            row["kind"] if sizes[row["kind"]] > 1 else "",
            natural(row["tasks"][0]),
        ),
    )


def tell(answer: Mapping[str, Any]) -> list[Block]:
    """The first table stands in the short report where it tells all, or of few runs: a sample of many earns no room."""
    rows, first = answer["rows"], answer["first"]
    whole = answer["failing"] == sum(len(row["tasks"]) for row in rows[:first])
    pinned = whole or len(answer["runs"]) <= FEW_RUNS
    blocks: list[Block] = [replace(_table(answer, 0, first, _caption(answer)), pinned=pinned)]
    if rows[first:]:
        blocks.append(_table(answer, first, len(rows), "The other failing tasks"))
    left = answer["failing"] - sum(len(row["tasks"]) for row in rows)
    if left:
        words = "Left out here: {left}; {command} lists them."
        command = Fact("blade tasks RUN... --sort spread", "id")
        blocks.append(Paragraph((say(words, left=count(left, "more failing task"), command=command),)))
    return blocks


def _caption(answer: Mapping[str, Any]) -> str:
    several = len(answer["runs"]) > 1
    order = "those whose outcome differs between the runs first, then those that no run passes" if several else ""
    shown = sum(len(row["tasks"]) for row in answer["rows"][: answer["first"]])
    if shown < answer["failing"]:
        chosen = "some of each kind of evidence" + (", and those that decide most between the runs" if several else "")
        order = f"{shown:,} of {answer['failing']:,} failing tasks: {chosen}"
    caution = "what the record shows is no cause: the task, its key, a simulated user or the model may be at fault"
    text = "; ".join(filter(None, (order, caution)))
    return text[:1].upper() + text[1:]


def _table(answer: Mapping[str, Any], begin: int, end: int, caption: str) -> Table:
    names = answer["runs"]
    columns = ("Task", "Fails in", "What the record shows", "Passed by")[: 4 if len(names) > 1 else 3]
    rows: list[tuple[str | Fact, ...]] = []
    for place in range(begin, end):
        row = answer["rows"][place]
        fails, shows, passes = _cells(row, names)
        failures = fact(fails, row["failures"], "investigation", "failing_tasks", "rows", place, "failures")
        rows.append((_labels(row), failures, shows, passes)[: len(columns)])
    return Table(columns, tuple(rows), caption)


def _labels(row: Mapping[str, Any]) -> str:
    return abridged(row["tasks"], MOST_LABELS)


def _cells(row: Mapping[str, Any], names: Sequence[str]) -> tuple[str, str, str]:
    """Who fails, what the record shows, and who passes."""
    return _fails(row, names), _shows(row, names), _passes(row)


def _fails(row: Mapping[str, Any], names: Sequence[str]) -> str:
    failing = {run: counts for run, counts in row["runs"].items() if counts[0]}
    if len(names) == 1:
        return f"{row['failures']:,} of {count(row['judged'], 'attempt')}"
    repeated = row["judged"] > len(row["runs"])
    if len(failing) > MOST_NAMES or len(failing) == len(row["runs"]) > FEW_RUNS:
        runs = "all" if len(failing) == len(row["runs"]) else f"{len(failing):,} of"
        attempts = f" ({row['failures']:,} of {row['judged']:,} attempts)" if repeated else ""
        return f"{runs} {len(row['runs']):,} runs{attempts}"
    return listed([f"{run} ({failed:,} of {tried:,})" if repeated else run for run, (failed, tried) in failing.items()])


def _passes(row: Mapping[str, Any]) -> str:
    passing = [run for run, (failed, tried) in row["runs"].items() if failed < tried]
    if len(passing) > MOST_NAMES:
        return f"{len(passing):,} of {len(row['runs']):,} runs"
    return listed(passing) or "none"


def _shows(row: Mapping[str, Any], names: Sequence[str]) -> str:
    """The ways in which the attempts fail, the commonest first, each with those that show it where there are more."""
    ways = row["ways"]
    if len(ways) == 1:
        return _words(ways[0]) if ways[0]["alike"] else f"{_such_as(ways[0], str(row['failures']))}: {_words(ways[0])}"
    most = WAYS_OF_FEW if len(names) <= FEW_RUNS else WAYS_OF_MANY
    shown = [f"{_owners(way, row)}{_example(way)}: {_words(way)}" for way in ways[:most]]
    others = sum(sum(way["runs"].values()) for way in ways[most:] if way["words"])
    unknown = sum(sum(way["runs"].values()) for way in ways[most:] if not way["words"])
    rest = [f"{others:,} otherwise"] * bool(others) + [f"{unknown:,} {NOT_KNOWN}"] * bool(unknown)
    return "; ".join([*shown, *rest])


def _example(way: Mapping[str, Any]) -> str:
    return "" if way["alike"] else f", {_such_as(way, 'them')}"


def _such_as(way: Mapping[str, Any], of: str) -> str:
    """How often failures that differ show what is told, where that is more than once."""
    return f"such as {way['often']:,} of {of}" if way["often"] > 1 else "such as"


def _words(way: Mapping[str, Any]) -> str:
    return str(way["words"]) or NOT_KNOWN


def _owners(way: Mapping[str, Any], row: Mapping[str, Any]) -> str:
    """The run whose failures all go this way, where it is one; else how many failures do."""
    if len(way["runs"]) == 1 and all(many == row["runs"][run][0] for run, many in way["runs"].items()):
        return str(next(iter(way["runs"])))
    return f"{sum(way['runs'].values()):,} of {count(row['failures'], 'failure')}"
