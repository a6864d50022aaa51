"""Anchor facts out of runs: enumerate, hold against chance, choose."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from blade.anchors.anchor import Anchor
from blade.anchors.benchmark_issues import issue_facts
from blade.anchors.best_worst import extreme_facts
from blade.anchors.candidate import Candidate
from blade.anchors.choosing import MOST, anchors_of, choose
from blade.anchors.compare_runs import comparison_facts
from blade.anchors.constructs import construct_facts
from blade.anchors.decisions import decision_facts
from blade.anchors.outcomes import outcome_facts
from blade.anchors.slices import where_facts
from blade.anchors.table import RolloutTable, table_of
from blade.anchors.tasks import task_facts
from blade.anchors.usage import usage_facts
from blade.counting.align import align
from blade.counting.run import Run
from blade.counting.seed import seed_of
from blade.diagnosis.cases import all_cases
from blade.errors import UsageError
from blade.frozen import frozen
from blade.model import Analysis

_SIGNS = re.compile(r"[^a-z0-9]+")


@frozen
class Generated:
    """The facts of one run, and what the data do not give."""

    run: str
    facts: tuple[Anchor, ...]
    notes: tuple[str, ...]
    considered: int


def generate(runs: Sequence[Run], analysis: Analysis, model: str) -> tuple[Anchor, ...]:
    """The anchor facts of the model's run among these runs."""
    return generated(runs, analysis, model).facts


def generated(runs: Sequence[Run], analysis: Analysis, model: str, limit: int = MOST) -> Generated:
    """The same with what was left open. `model` names the run, or the model that its rows name."""
    subject = run_of(runs, analysis, model)
    order = [item.name for item in analysis.runs]
    ordered = sorted(runs, key=lambda run: order.index(run.name))
    cases = all_cases(ordered, align(ordered))
    tables = [table_of(run_cases, analysis) for run_cases in cases]
    table = next(table for table in tables if table.run == subject)
    other_tables = [candidate for candidate in tables if candidate is not table]
    facts = list(candidates(table, other_tables, analysis, seed_of(runs, 0))) if table.passed.size else []
    choice = choose(facts, limit)
    return Generated(subject, anchors_of(choice), choice.notes, len(facts))


def candidates(
    table: RolloutTable, other_tables: Sequence[RolloutTable], analysis: Analysis, seed: int
) -> Iterator[Candidate]:
    """Every fact that holds, cannot be guessed and is stable."""
    yield from where_facts(table, seed)
    yield from extreme_facts(table, seed)
    yield from outcome_facts(table, seed)
    yield from construct_facts(table, seed)
    yield from usage_facts(table, seed)
    yield from comparison_facts(table, other_tables, seed)
    yield from task_facts(table, seed)
    yield from decision_facts(table, analysis)
    yield from issue_facts(table, analysis)


def run_of(runs: Sequence[Run], analysis: Analysis, model: str) -> str:
    """The name of the run that is meant: the only one, or the one whose name or model is spelled alike."""
    if len(runs) == 1:
        return runs[0].name
    model_name = _bare(model)
    names_of_run = {item.name: {_bare(item.name), *map(_bare, item.provenance.models)} for item in analysis.runs}
    matching = [name for name, words in names_of_run.items() if model_name in words]
    matching = matching or [
        name for name, words in names_of_run.items() if any(_contains(model_name, word) for word in words)
    ]
    if len(matching) == 1:
        return matching[0]
    complaint = "Several runs fit" if matching else "No run fits"
    raise UsageError(
        f"{complaint} the model name '{model}'.",
        f"Runs here: {', '.join(matching or names_of_run)}. Name one with --model-name.",
    )


def _contains(first: str, second: str) -> bool:
    """Whether one name holds the other: "model_a" and "model_a_rollouts"."""
    return len(min(first, second, key=len)) >= 4 and (first in second or second in first)


def _bare(name: str) -> str:
    return _SIGNS.sub("", name.lower())
