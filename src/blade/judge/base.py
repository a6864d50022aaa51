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
from blade.checking.free_text import FreeTextCheck
from blade.checking.measures import Values
from blade.checking.names import Names, masked
from blade.checking.negation import is_negative
from blade.checking.quotes import folded
from blade.checking.redaction import Redaction
from blade.checking.tokens import plain
from blade.counting.run import Run
from blade.judge.number_index import Facts, of_statement
from blade.judge.reading import ReportReading, ReportStatement, read_report
from blade.judge.templates import StatementTemplates
from blade.judge.vocabulary import EntityVocabulary, of_tables
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
    vocabulary: EntityVocabulary
    facts: Facts
    templates: StatementTemplates
    golden: ReportReading
    anchors: Anchors
    believed: tuple[ReportStatement, ...]
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
        return "\n".join(statement.text for statement in self.believed).lower()

    @cached_property
    def pasteable(self) -> frozenset[str]:
        """Sentences of the anchor facts that the golden report does not have: in these words they are copied."""
        sentences = (
            statement.text
            for anchor in self.anchors.facts
            for statement in read_report(anchor.fact, self.names).statements
        )
        folded_sentences = {folded(text).lower() for text in sentences}
        return frozenset(text for text in folded_sentences if len(text) > 40 and text not in self.golden_words)

    @cached_property
    def own_prose(self) -> FreeTextCheck | None:
        return FreeTextCheck(Values(self.material.alone), self.names) if self.material else None

    @cached_property
    def whole_prose(self) -> FreeTextCheck | None:
        return FreeTextCheck(Values(self.material.analysis), self.names) if self.material else None

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
            mode: [
                frozenset(content(spelling))
                for spelling in spellings
                if content(spelling) and not is_negative(spelling)
            ]
            for mode, spellings in names.items()
        }

    @cached_property
    def modes_of(self) -> dict[str, frozenset[str]]:
        """The modes of each task's failures in the run that the golden report is about."""
        modes: dict[str, set[str]] = {}
        for run, task, mode in self.material.modes_of_tasks if self.material else ():
            if run == self.subject:
                modes.setdefault(task, set()).add(mode)
        return {task: frozenset(modes) for task, modes in modes.items()}

    @property
    def tasks(self) -> frozenset[str]:
        return frozenset(self.names.tasks)

    @cached_property
    def prefixes(self) -> tuple[str, ...]:
        """How ids of this benchmark begin: what begins so and is no task was made up."""
        prefixes = {
            match[0].lower()
            for task in self.names.tasks
            if (match := re.match(r"[^\W\d_]{3,}[^\w\s]|[^\W\d_]{3,}_", task))
        }
        return tuple(sorted(prefixes)) if len(prefixes) <= 20 else ()


def from_golden(golden: str, anchors: Anchors) -> Base:
    tasks = {name: Task(name, "golden", {}, {}) for name in _ids_in(golden)}
    names = Names((), tasks, {}, frozenset(), frozenset())
    reading = read_report(golden, names)
    tables: dict[int, tuple[str, list[str]]] = {}
    for statement in reading.rows:
        if statement.columns and statement.cells:
            tables.setdefault(statement.block, (statement.columns[0], []))[1].append(statement.cells[0])
        for title in statement.columns[1:]:
            if re.fullmatch(r"[A-Za-z]+\d+", title):
                tables.setdefault(-statement.block, (statement.columns[0] + " columns", []))[1].append(title)
    vocabulary = of_tables(list(tables.values()), golden)
    numbers = [
        number for statement in reading.statements for number in of_statement(statement, vocabulary, tuple(tasks))
    ]
    faults = tuple(_own_faults(reading.statements))
    return Base(
        GOLDEN_ONLY,
        names,
        vocabulary,
        Facts(numbers),
        StatementTemplates(reading.statements),
        reading,
        anchors,
        reading.statements,
        own_faults=faults,
    )


def _ids_in(golden: str) -> list[str]:
    """What looks like an id: a name and a number of two digits or more, or a form that several names share."""
    forms: dict[str, dict[str, None]] = {}
    for match in _NUMBERED.finditer(golden):
        forms.setdefault(masked(match[0]), {})[match[0]] = None
    shared = [name for names in forms.values() if len(names) >= FEWEST_OF_A_FORM for name in names]
    return list(dict.fromkeys([*(match[0] for match in _ID.finditer(golden)), *shared]))


def _own_faults(statements: Sequence[ReportStatement]) -> list[str]:
    """Shares whose stated count and total give another percentage: "64 (6.1%)" in a column "% of 1056"."""
    faults = []
    for statement in statements:
        if statement.kind != "row" or len(statement.cells) < 2:
            continue
        for column, title in enumerate(statement.columns):
            total = re.search(r"%\s*(?:of|\(of)\s*([\d,]+)", title)
            if not total or column >= len(statement.cells):
                continue
            share = re.match(r"([\d.]+)\s*%", statement.cells[column])
            count = re.match(r"~?([\d,]+)$", statement.cells[column - 1]) if column else None
            denominator = float(total[1].replace(",", ""))
            if share and count and denominator:
                expected_share = 100 * float(count[1].replace(",", "")) / denominator
                decimals = len(share[1].partition(".")[2])
                if abs(expected_share - float(share[1])) > 0.6 * 10.0**-decimals:
                    arithmetic = f"{count[1]} of {total[1]} is {expected_share:.1f}%, not {share[1]}%"
                    faults.append(f"line {statement.line}: {statement.cells[0]}: {arithmetic}")
    return faults
