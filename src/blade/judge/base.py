"""The fact base: everything a candidate report is held against.

With runs, facts are counted from them, and the report that BLADE makes of them is believed; the golden report is
believed as far as the runs do not contradict it. Without runs the golden report stands in for them, and the grade says
so: `fact_base: golden-only`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from blade.anchors.anchor import Anchors
from blade.checking.free_text import Prose
from blade.checking.measures import Values
from blade.checking.names import Names, masked
from blade.checking.negation import is_negative
from blade.checking.quotes import folded
from blade.checking.redaction import Redaction
from blade.checking.tokens import plain
from blade.counting.run import Run
from blade.judge.number_index import Facts, Known, of_statement
from blade.judge.reading import Reading, Said, read_report
from blade.judge.templates import Frames
from blade.judge.vocabulary import Vocabulary, of_tables
from blade.judge.words import content
from blade.model import Analysis, Task

GOLDEN_ONLY = "golden-only"
RUNS = "runs"
_ID = re.compile(r"(?<![\w/.-])[A-Za-z][A-Za-z0-9]*(?:[_-][A-Za-z0-9]+)*[_-]\d{2,}(?![\w-])")
_NUMBERED = re.compile(r"(?<![\w/.-])[A-Za-z][\w-]*[/#:.]\d+(?![\w/.-]*\w)")
FEWEST_OF_A_FORM = 3


@dataclass(frozen=True)
class Material:
    """What the runs give: read, counted and worded by the caller."""

    runs: tuple[Run, ...]
    analysis: Analysis
    """All runs together."""
    alone: Analysis
    """The run that the golden report is about, by itself."""
    worded: tuple[str, ...]
    """The reports that BLADE makes of both, as Markdown."""
    subject: str
    others: tuple[tuple[str, str], ...] = ()
    """Reports of each other run by itself: (run, Markdown)."""
    modes_of_tasks: Mapping[tuple[str, str, str], int] = field(default_factory=dict)
    """How many failed rollouts of (run, task) are of a mode."""


@dataclass(frozen=True)
class Base:
    """What is known."""

    kind: str
    names: Names
    vocabulary: Vocabulary
    facts: Facts
    frames: Frames
    golden: Reading
    anchors: Anchors
    believed: tuple[Said, ...]
    subject: str = ""
    material: Material | None = None
    own_faults: tuple[str, ...] = ()
    """Statements of the golden report that its own tables or the runs contradict."""
    quotes: dict[tuple[str, frozenset[str]], str] = field(default_factory=dict)
    """Quotes that were looked for: found, elsewhere or nowhere."""

    @cached_property
    def golden_words(self) -> str:
        return folded(plain(self.golden.text)).lower()

    @cached_property
    def believed_words(self) -> str:
        return "\n".join(said.text for said in self.believed).lower()

    @cached_property
    def pasteable(self) -> frozenset[str]:
        """Sentences of the anchor facts that the golden report does not have: in these words they are copied."""
        cut = (one.text for anchor in self.anchors.facts for one in read_report(anchor.fact, self.names).said)
        told = {folded(text).lower() for text in cut}
        return frozenset(text for text in told if len(text) > 40 and text not in self.golden_words)

    @cached_property
    def own_prose(self) -> Prose | None:
        return Prose(Values(self.material.alone), self.names) if self.material else None

    @cached_property
    def whole_prose(self) -> Prose | None:
        return Prose(Values(self.material.analysis), self.names) if self.material else None

    @cached_property
    def redaction(self) -> Redaction:
        """What the files of the runs no longer say, because private things were taken out of them."""
        return Redaction(self.material.runs if self.material else ())

    @cached_property
    def mode_words(self) -> dict[str, list[frozenset[str]]]:
        """The words of each name of a failure mode; a name that says what was not done cannot be told from a denial."""
        modes = self.material.analysis.modes if self.material else ()
        names = {mode.id: (mode.id, mode.name, mode.name.partition(":")[0], mode.detector or "") for mode in modes}
        return {
            mode: [frozenset(content(way)) for way in ways if content(way) and not is_negative(way)]
            for mode, ways in names.items()
        }

    @cached_property
    def modes_of(self) -> dict[str, frozenset[str]]:
        """The modes of each task's failures in the run that the golden report is about."""
        found: dict[str, set[str]] = {}
        for run, task, mode in self.material.modes_of_tasks if self.material else ():
            if run == self.subject:
                found.setdefault(task, set()).add(mode)
        return {task: frozenset(modes) for task, modes in found.items()}

    @property
    def tasks(self) -> frozenset[str]:
        return frozenset(self.names.tasks)

    @cached_property
    def prefixes(self) -> tuple[str, ...]:
        """How ids of this benchmark begin: what begins so and is no task was made up."""
        found = {
            match[0].lower()
            for task in self.names.tasks
            if (match := re.match(r"[^\W\d_]{3,}[^\w\s]|[^\W\d_]{3,}_", task))
        }
        return tuple(sorted(found)) if len(found) <= 20 else ()


def from_golden(golden: str, anchors: Anchors) -> Base:
    tasks = {name: Task(name, "golden", {}, {}) for name in _ids_in(golden)}
    names = Names((), tasks, {}, frozenset(), frozenset())
    reading = read_report(golden, names)
    tables: dict[int, tuple[str, list[str]]] = {}
    for said in reading.rows:
        if said.columns and said.cells:
            tables.setdefault(said.block, (said.columns[0], []))[1].append(said.cells[0])
        for title in said.columns[1:]:
            if re.fullmatch(r"[A-Za-z]+\d+", title):
                tables.setdefault(-said.block, (said.columns[0] + " columns", []))[1].append(title)
    vocabulary = of_tables(list(tables.values()), golden)
    known = [one for said in reading.said for one in of_statement(said, vocabulary, tuple(tasks))]
    faults = tuple(_own_faults(reading.said, Frames(reading.said), known))
    return Base(
        GOLDEN_ONLY,
        names,
        vocabulary,
        Facts(known),
        Frames(reading.said),
        reading,
        anchors,
        reading.said,
        own_faults=faults,
    )


def _ids_in(golden: str) -> list[str]:
    """What looks like an id: a name and a number of two digits or more, or a form that several names share."""
    forms: dict[str, dict[str, None]] = {}
    for match in _NUMBERED.finditer(golden):
        forms.setdefault(masked(match[0]), {})[match[0]] = None
    shared = [name for names in forms.values() if len(names) >= FEWEST_OF_A_FORM for name in names]
    return list(dict.fromkeys([*(match[0] for match in _ID.finditer(golden)), *shared]))


def _own_faults(said: Sequence[Said], frames: Frames, known: Sequence[Known]) -> list[str]:
    """Shares whose stated count and total give another percentage: "64 (6.1%)" in a column "% of 1056"."""
    del frames, known
    found = []
    for one in said:
        if one.kind != "row" or len(one.cells) < 2:
            continue
        for column, title in enumerate(one.columns):
            total = re.search(r"%\s*(?:of|\(of)\s*([\d,]+)", title)
            if not total or column >= len(one.cells):
                continue
            share = re.match(r"([\d.]+)\s*%", one.cells[column])
            count = re.match(r"~?([\d,]+)$", one.cells[column - 1]) if column else None
            whole = float(total[1].replace(",", ""))
            if share and count and whole:
                meant = 100 * float(count[1].replace(",", "")) / whole
                decimals = len(share[1].partition(".")[2])
                if abs(meant - float(share[1])) > 0.6 * 10.0**-decimals:
                    found.append(
                        f"line {one.line}: {one.cells[0]}: {count[1]} of {total[1]} is {meant:.1f}%, not {share[1]}%"
                    )
    return found
