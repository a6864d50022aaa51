"""The fact base of a package whose runs are there."""

from __future__ import annotations

from dataclasses import replace

from blade.anchors.anchor import Anchors
from blade.checking.names import names_of
from blade.judge.base import RUNS, Base, Material
from blade.judge.counted_facts import counted, of_modes
from blade.judge.number_index import Facts, Known, of_statement
from blade.judge.reading import read_report
from blade.judge.templates import Frames
from blade.judge.verify import CONTRADICTED, verify
from blade.judge.vocabulary import of_analysis


def from_runs(golden: str, anchors: Anchors, material: Material) -> Base:
    """Facts counted from the runs, the report BLADE makes of them, and the golden report where it is not contradicted.

    A statement of the golden report that the runs contradict is a fault of the package, never of a candidate.
    """
    names = names_of(material.analysis, material.runs)
    vocabulary = of_analysis(material.analysis)
    reading = read_report(golden, names)
    worded = [one for text in material.worded for one in read_report(text, names).said]
    known: list[Known] = [*counted(material.analysis), *counted(material.alone)]
    known += of_modes(material.analysis, material.modes_of_tasks)
    tasks = tuple(names.tasks)
    known += [fact for said in worded for fact in of_statement(said, vocabulary, tasks)]
    first = Base(
        RUNS,
        names,
        vocabulary,
        Facts(known),
        Frames(worded),
        reading,
        anchors,
        tuple(worded),
        material.subject,
        material,
    )
    faults = {
        held.said.place: f"line {held.said.line}: {verdict.said}; the runs say {verdict.wanted or 'otherwise'}"
        for held in verify(golden, first).held
        for verdict in held.verdicts
        if verdict.outcome == CONTRADICTED
    }
    trusted = [one for one in reading.said if one.place not in faults]
    known += [fact for said in trusted for fact in of_statement(said, vocabulary, tasks)]
    believed = (*worded, *trusted)
    return replace(
        first,
        facts=Facts(known),
        frames=Frames(believed),
        believed=believed,
        own_faults=tuple(faults[place] for place in sorted(faults)),
        quotes={},
    )
