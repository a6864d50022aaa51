"""The rollout files read once more, row by row, each row beside what the engine knows of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from blade.counting.run import Run
from blade.extract.reference import reference_actions
from blade.extract.text import squeeze
from blade.extract.verdict import answer_field, gold_fields
from blade.files.lines import UNREADABLE, iter_lines, open_bytes, parse
from blade.skill.profile import Profile, ProfileRow

MOST_REFERENCES = 200
MOST_PAIRS = 12


@dataclass(slots=True)
class ExtractionAgreement:
    """How often what the verifier extracted equals what it expected, among passes and among failures."""

    passes: int = 0
    passes_equal: int = 0
    fails: int = 0
    fails_equal: int = 0


@dataclass(slots=True)
class Fields:
    """Everything that one pass over the files tells about the fields of a benchmark."""

    rollouts: Profile = field(default_factory=Profile)
    inputs: Profile = field(default_factory=Profile)
    references: Counter[str] = field(default_factory=Counter)
    agreements: dict[tuple[str, str], ExtractionAgreement] = field(default_factory=dict)


def read_fields(runs: Sequence[Run]) -> Fields:
    """Profile the rollouts of all runs, and of their materialized inputs what the rollouts do not repeat."""
    fields = Fields()
    declared = runs[0].raw.benchmark.values.get("reference_actions") if runs else None
    for path, lines in _own_lines(runs).items():
        for number, row in _rows(Path(path)):
            own_line = lines.get(number)
            if own_line is None:
                continue
            score, passed, task = own_line
            fields.rollouts.add(row, ProfileRow(score, task, task[0]))
            _expect(fields, row, declared)
            if passed is not None:
                _agree(fields, row, passed)
    for path in sorted({str(file.path) for run in runs for file in run.files if file.kind == "gym_inputs"}):
        for _, row in _rows(Path(path)):
            fields.inputs.add(row, ProfileRow())
            _expect(fields, row, declared)
    return fields


Known = dict[int, tuple[float | None, bool | None, tuple[int, str]]]


def _own_lines(runs: Sequence[Run]) -> dict[str, Known]:
    """File → line → score, whether it passed, and its task. Copies and rows of another model are left out."""
    files: dict[str, Known] = {}
    for place, run in enumerate(runs):
        own_rows = run.facts.filter(~pl.col("copy") & ~pl.col("foreign"))
        for file, line, score, passed, task in own_rows.select("file", "line", "reward", "passed", "task").rows():
            files.setdefault(run.raw.sources[file], {})[line] = (score, passed, (place, task))
    return dict(sorted(files.items()))


def _rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Rows that can be read; the analysis has told of the others."""
    try:
        with open_bytes(path) as stream:
            for line in iter_lines(stream):
                value = parse(line.data).value
                if isinstance(value, dict):
                    yield line.number, value
    except UNREADABLE:
        return


def _expect(fields: Fields, row: dict[str, Any], declared: str | None) -> None:
    if (
        sum(fields.references.values()) < MOST_REFERENCES
        and (reference := reference_actions(row, declared)) is not None
    ):
        fields.references[reference[0]] += 1


def _agree(fields: Fields, row: dict[str, Any], passed: bool) -> None:
    answer = answer_field(row)
    if answer is None:
        return
    extracted = _plain(answer[1])
    for name, gold in gold_fields(row).items():
        if not isinstance(gold, (str, int, float)):
            continue
        key = (answer[0], name)
        if key not in fields.agreements and len(fields.agreements) >= MOST_PAIRS:
            continue
        pair = fields.agreements.setdefault(key, ExtractionAgreement())
        is_equal = extracted == _plain(gold)
        if passed:
            pair.passes += 1
            pair.passes_equal += is_equal
        else:
            pair.fails += 1
            pair.fails_equal += is_equal


def _plain(value: Any) -> str:
    return squeeze(str(value)).casefold()
