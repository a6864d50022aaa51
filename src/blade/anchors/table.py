"""One run as arrays: what facts are counted from.

A *mark* is anything that can be said of a rollout with yes or no: the mode it failed by, a detector that fired, a tool
it called. Levels belong to tasks, values to rollouts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

import numpy as np
import numpy.typing as npt

from blade.counting.run import Run
from blade.counting.slices import task_slices
from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.modes import UNEXPLAINED, kind_of, signs
from blade.extract.text import squeeze
from blade.frozen import frozen
from blade.model import Analysis
from blade.registry import plugins
from blade.wording import printable

Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

MOST_FIELDS = 12
MOST_TOOLS = 40
LONGEST_NAME = 90
VALUES = {"output_tokens": "output tokens", "calls": "tool calls", "output_chars": "characters of output"}


@frozen
class Proof:
    """What was noticed in one rollout: in words, and the place with the exact words."""

    row: int
    detail: str
    value: str
    """What groups sightings of one kind: a tool, an argument, an error class."""
    quote: str
    evidence: Mapping[str, Any]


@frozen
class RolloutMark:
    """Something that rollouts have or have not."""

    id: str
    sort: str  # mode, detector, tool
    name: str
    aliases: tuple[str, ...]
    rows: Bools
    proofs: Mapping[int, Proof] = field(default_factory=dict)
    kind: str = ""

    @property
    def words(self) -> str:
        """How a sentence names it, after "rollouts that"."""
        verb = {"mode": "fail by mode", "detector": "show the symptom", "tool": "call the tool"}[self.sort]
        return f"{verb} {quoted(self.name)}"


@frozen
class SliceField:
    """A property of tasks: the level of each task, −1 where it has none."""

    name: str
    levels: tuple[str, ...]
    of_task: Ints


@frozen
class RolloutTable:
    """The counted rollouts of one run, in order of task and attempt."""

    run: str
    tasks: tuple[str, ...]
    keys: tuple[str, ...]
    task: Ints
    passed: Bools
    judged: bool
    """Whether there is a pass rule; without one nothing is said of passes."""
    marks: tuple[RolloutMark, ...]
    fields: tuple[SliceField, ...]
    values: Mapping[str, Floats]
    cases: tuple[Case, ...]

    @property
    def failed(self) -> Bools:
        return ~self.passed

    @property
    def attempts(self) -> Ints:
        return np.bincount(self.task, minlength=len(self.tasks))

    @property
    def passes(self) -> Ints:
        return np.bincount(self.task, weights=self.passed, minlength=len(self.tasks)).astype(np.int64)

    def per_task(self, rows: Bools) -> Ints:
        """How many rollouts of each task are among these rows."""
        return np.bincount(self.task, weights=rows, minlength=len(self.tasks)).astype(np.int64)

    def showing(self, mode: str) -> Ints:
        """How many rollouts of each task show the sign of a mode, whatever they were counted under."""
        return self.per_task(np.array([mode in signs(case) for case in self.cases], bool))

    def of_sort(self, *sorts: str) -> list[RolloutMark]:
        return [mark for mark in self.marks if mark.sort in sorts]

    def of_failures(self, fewest: int = 1) -> list[RolloutMark]:
        """Modes, and symptoms that are no mode themselves, on at least so many failures."""
        modes = {mark.name.partition(": ")[0] for mark in self.of_sort("mode")}
        marks = [mark for mark in self.of_sort("mode", "detector") if mark.sort == "mode" or mark.name not in modes]
        return [mark for mark in marks if int((mark.rows & self.failed).sum()) >= fewest]


def quoted(name: str) -> str:
    """A name in a sentence: printable, short, and never able to end its own quotes."""
    text = squeeze(printable(name)).replace('"', "'").replace("`", "'")
    return f'"{text if len(text) <= LONGEST_NAME else text[: LONGEST_NAME - 1] + "…"}"'


def table_of(run_cases: RunCases, analysis: Analysis) -> RolloutTable:
    run, cases = run_cases.run, run_cases.cases
    keys = list(dict.fromkeys(case.key for case in cases))
    place = {key: number for number, key in enumerate(keys)}
    labels: dict[str, str] = {}
    for case in cases:
        labels.setdefault(case.key, printable(case.label))
    rows = run.graded
    return RolloutTable(
        run.name,
        tuple(labels[key] for key in keys),
        tuple(keys),
        np.array([place[case.key] for case in cases], np.int64),
        np.array([not case.failing for case in cases], bool),
        run.rule.threshold is not None,
        _marks(run, cases, analysis),
        _fields(run, cases, len(keys), place, analysis),
        {
            name: np.array([math.nan if value is None else float(value) for value in rows[column].to_list()])
            for column, name in VALUES.items()
        },
        cases,
    )


def _marks(run: Run, cases: Sequence[Case], analysis: Analysis) -> tuple[RolloutMark, ...]:
    """Modes first; a detector or a tool that marks the very same rollouts as something before it is left out."""
    marks = [*_modes(cases, analysis), *_detectors(cases), *_tools(run)]
    prints_seen: set[bytes] = set()
    distinct = []
    for mark in marks:
        print_of = mark.rows.tobytes()
        if print_of not in prints_seen and mark.rows.any():
            prints_seen.add(print_of)
            distinct.append(mark)
    return tuple(distinct)


def _modes(cases: Sequence[Case], analysis: Analysis) -> list[RolloutMark]:
    names = {mode.id: mode for mode in analysis.modes}
    of_case = [kind_of(case) if case.failing else None for case in cases]
    kinds = {kind.id: kind for kind in of_case if kind is not None and kind.id != UNEXPLAINED}
    marks = []
    for name in sorted(kinds):
        kind = kinds[name]
        hit = np.array([mode is not None and mode.id == name for mode in of_case], bool)
        title = names[name].name if name in names else kind.name
        proofs = _proofs(cases, hit, kind.detector)
        marks.append(RolloutMark(name, "mode", title, (name, name.replace("_", " ")), hit, proofs, kind.kind))
    return marks


def _detectors(cases: Sequence[Case]) -> list[RolloutMark]:
    fired = [case.fired() for case in cases]
    marks = []
    for name in sorted({name for detectors in fired for name in detectors}):
        rule = plugins("detectors")[name]
        hit = np.array([name in detectors for detectors in fired], bool)
        proofs = _proofs(cases, hit, name)
        marks.append(RolloutMark(name, "detector", rule.TITLE, (name, name.replace("_", " ")), hit, proofs, rule.KIND))
    return marks


def _tools(run: Run) -> list[RolloutMark]:
    used = [set(names or ()) for names in run.graded["tools_called"].to_list()]
    names = sorted({name for tools in used for name in tools})[:MOST_TOOLS]
    return [RolloutMark(name, "tool", name, (), np.array([name in tools for tools in used], bool)) for name in names]


def _proofs(cases: Sequence[Case], hit: Bools, rule: str | None) -> dict[int, Proof]:
    proof_of_row: dict[int, Proof] = {}
    for row in np.flatnonzero(hit).tolist():
        case = cases[row]
        sighting = case.fired().get(rule or "")
        if sighting is None:
            continue
        cite = next((cite for cite in sighting.cites if len(cite.quote.strip()) >= 12), sighting.cites[0])
        proof = case.evidence(cite)
        data = {slot: getattr(proof, slot) for slot in proof.__dataclass_fields__}
        data |= {"sha256": proof.sha256, "run": case.run, "task": case.label, "attempt": case.attempt}
        value = (
            "" if any(cite.field == f"row.{sighting.value}" for cite in sighting.cites) else printable(sighting.value)
        )
        proof_of_row[row] = Proof(row, printable(sighting.detail), value, printable(cite.quote), data)
    return proof_of_row


def _fields(
    run: Run, cases: Sequence[Case], tasks: int, place: Mapping[str, int], analysis: Analysis
) -> tuple[SliceField, ...]:
    """Fields of the report's own slices; of two that part the tasks alike only the first."""
    run_analysis = next((item for item in analysis.runs if item.name == run.name), None)
    names = list(dict.fromkeys(str(line["field"]) for line in run_analysis.slices)) if run_analysis else []
    if not names:
        return ()
    task_of_case = dict(zip((case.key for case in cases), run.graded["task"].to_list(), strict=True))
    slices = task_slices(run, names)
    fields: list[SliceField] = []
    partitions: set[tuple[int, ...]] = set()
    for name in names:
        level = {key: slices.get(task_of_case[key], {}).get(name) for key in place}
        levels = sorted({value for value in level.values() if value is not None})
        codes = {value: number for number, value in enumerate(levels)}
        of_task = np.full(tasks, -1, np.int64)
        for key, number in place.items():
            if level[key] is not None:
                of_task[number] = codes[str(level[key])]
        parts = tuple(_renumbered(of_task))
        if len(levels) > 1 and parts not in partitions:
            partitions.add(parts)
            fields.append(SliceField(name, tuple(levels), of_task))
    return tuple(sorted(fields, key=lambda item: (len(item.levels), item.name))[:MOST_FIELDS])


def _renumbered(codes: Ints) -> list[int]:
    """Codes in order of appearance: equal for fields that part the tasks alike."""
    number_of_code: dict[int, int] = {}
    return [number_of_code.setdefault(int(code), len(number_of_code)) for code in codes]
