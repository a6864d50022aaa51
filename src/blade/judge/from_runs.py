"""The fact base of a package whose runs are there."""

from __future__ import annotations

from dataclasses import replace

from blade.anchors.anchor import Anchors
from blade.checking.names import names_of
from blade.judge.base import RUNS, Base, Material
from blade.judge.counted_facts import counted_facts, of_modes
from blade.judge.number_index import Facts, KnownNumber, of_statement
from blade.judge.reading import read_report
from blade.judge.templates import StatementTemplates
from blade.judge.verify import CONTRADICTED, verify
from blade.judge.vocabulary import of_analysis


def from_runs(golden: str, anchors: Anchors, material: Material) -> Base:
    """Facts counted from the runs, the report BLADE makes of them, and the golden report where it is not contradicted.

    A statement of the golden report that the runs contradict is a fault of the package, never of a candidate.
    """
    names = names_of(material.analysis, material.runs)
    vocabulary = of_analysis(material.analysis)
    reading = read_report(golden, names)
    written_statements = [statement for text in material.worded for statement in read_report(text, names).statements]
    numbers: list[KnownNumber] = [*counted_facts(material.analysis), *counted_facts(material.alone)]
    numbers += of_modes(material.analysis, material.modes_of_tasks)
    tasks = tuple(names.tasks)
    numbers += [fact for statement in written_statements for fact in of_statement(statement, vocabulary, tasks)]
    first = Base(
        RUNS,
        names,
        vocabulary,
        Facts(numbers),
        StatementTemplates(written_statements),
        reading,
        anchors,
        tuple(written_statements),
        material.subject,
        material,
    )
    faults = {
        checked.statement.place: (
            f"line {checked.statement.line}: {verdict.printed}; the runs say {verdict.expected or 'otherwise'}"
        )
        for checked in verify(golden, first).statements
        for verdict in checked.verdicts
        if verdict.outcome == CONTRADICTED
    }
    trusted = [statement for statement in reading.statements if statement.place not in faults]
    numbers += [fact for statement in trusted for fact in of_statement(statement, vocabulary, tasks)]
    believed = (*written_statements, *trusted)
    return replace(
        first,
        facts=Facts(numbers),
        templates=StatementTemplates(believed),
        believed=believed,
        own_faults=tuple(faults[place] for place in sorted(faults)),
        quotes={},
    )
