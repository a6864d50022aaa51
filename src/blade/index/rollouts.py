"""The wide table that queries ask: one line per rollout with its outcome, findings, label and the fields of its row."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson
import polars as pl

from blade.counting.columns import Column
from blade.counting.durations import durations
from blade.counting.run import Run
from blade.detectors import read_sightings
from blade.diagnosis.cases import RunCases, believed
from blade.diagnosis.effective_key import effective_shape, refused_changes
from blade.diagnosis.readings import NotedRollout, readings
from blade.extract.text import clean
from blade.facts.columns import SCHEMA
from blade.findings import Label, State
from blade.index.observations import observation_names
from blade.model import NOT_EVALUABLE, Analysis, Task

KNOWN: dict[str, tuple[Any, str]] = {
    "run": (pl.String, "the run's name"),
    "task": (pl.String, "the task, as the report names it"),
    "attempt": (pl.Int64, "the number of the attempt"),
    "score": (pl.Float64, "the reward"),
    "passed": (pl.Boolean, "reached the pass threshold"),
    "failed": (pl.Boolean, "was graded and did not pass; void rollouts may be among them"),
    "void": (pl.Boolean, "does not measure the model: it did not run, or was not judged"),
    "counted": (pl.Boolean, "counts in the score: graded, no copy, no row of another model"),
    "status": (pl.String, "ok, missing, infrastructure, verifier_error, timed_out, truncated, malformed, …"),
    "reason": (pl.String, "why it has this status"),
    "lost_at": (pl.String, "the stage at which a void attempt stopped: no_trial, not_started, not_ended, not_judged"),
    "bucket": (pl.String, "of its task in its run: always, sometimes, never, missing"),
    "read": (pl.Boolean, "somebody read it and noted something of it"),
    "mechanism": (pl.String, "what happened, as a reader noted it"),
    "blame": (pl.String, "whose doing it is, as a reader noted it"),
    "verdict_wrong": (pl.Boolean, "a reader holds the verdict for wrong"),
    "label": (pl.String, "root cause of a failure: KG, UK, BI, TI, IR, DA or IE; two are joined by +"),
    "rule": (pl.String, "what gave the label; read: somebody who read the rollout"),
    "confidence": (pl.Float64, "of the label, from 0 to 1"),
    "mode": (pl.String, "the failure mode's name"),
    "mode_id": (pl.String, "the failure mode's id"),
    "findings": (pl.List(pl.String), "rules that fired: has(findings, 'gave_up')"),
    "observations": (pl.List(pl.String), "what the transcript shows: has(observations, 'denies_ability')"),
    "tools": (pl.List(pl.String), "tools that were called: has(tools, 'bash')"),
    "actions": (pl.List(pl.String), "the calls in order, tool and argument names"),
    "checks_failed": (pl.List(pl.String), "sub-checks of the verdict that failed"),
    "checks_passed": (pl.List(pl.String), "sub-checks of the verdict that passed"),
    "answer": (pl.String, "what the verifier took for the answer"),
    "model": (pl.String, "the model that the row names"),
    "machine": (pl.String, "x86_64 or arm64, where the texts tell"),
    "items": (pl.Int64, "items of the transcript"),
    "messages": (pl.Int64, "messages by the model"),
    "calls": (pl.Int64, "calls of tools"),
    "calls_failed": (pl.Int64, "calls that were answered by an error"),
    "outputs": (pl.Int64, "answers of tools"),
    "thoughts": (pl.Int64, "pieces of thinking"),
    "user_turns": (pl.Int64, "messages of a user after the request"),
    "output_chars": (pl.Int64, "letters that the model wrote"),
    "final_chars": (pl.Int64, "letters of its last message"),
    "ends_on": (pl.String, "message, call, output, thought, user, environment or nothing"),
    "last_call_failed": (pl.Boolean, "the last call was answered by an error"),
    "tool_message": (pl.String, "of the last failed call, shortened"),
    "input_tokens": (pl.Float64, "tokens read"),
    "output_tokens": (pl.Float64, "tokens written"),
    "cost": (pl.Float64, "as the row tells it"),
    "created_at": (pl.Float64, "seconds since 1970"),
    "incomplete": (pl.String, "why the response is incomplete"),
    "output_hash": (pl.UInt64, "the same number: the same words and calls"),
    "first_call": (pl.String, "the tool that is called first"),
    "streak": (pl.Int64, "the most calls of one tool in a row"),
    "errors": (pl.List(pl.String), "what tools answered to failed calls, shortened"),
    "shape": (pl.String, "how the changes differ from those expected that the environment accepts"),
    "changes_expected": (pl.Int64, "changes that the key expects"),
    "changes_possible": (pl.Int64, "expected changes without those that the environment refuses in every run"),
    "changes_made": (pl.Int64, "changes that were accepted"),
    "changes_right": (pl.Int64, "accepted changes that the key expects"),
    "changes_refused": (pl.Int64, "changes that were tried and refused"),
    "row_key": (pl.String, "the hash of the row, by which notes know it"),
}
"""Column → its type and what it holds. `row_NAME` is a short field of the row, `seconds_NAME` how long something took,
`task_NAME` a property of the task."""
PLACE: dict[str, Any] = {"path": pl.String, "line": pl.Int64, "offset": pl.Int64, "length": pl.Int64}
MOST_FIELDS = 200
RARE = 0.05
"""A field that a smaller share of every run's rows has is no column: the sub-checks of single tasks are such fields."""
_RENAMED = {"score": "reward", "status": "state", "lost_at": "stage_lost", "tools": "tools_called"}
_WORKED_OUT = (
    *("run", "task", "failed", "void", "bucket", "label", "rule", "confidence", "mode", "mode_id", "findings"),
    *("read", "mechanism", "blame", "verdict_wrong", "row_key"),
    *("checks_failed", "checks_passed", "first_call", "streak", "errors", "shape", "observations"),
    *("changes_expected", "changes_possible", "changes_made", "changes_right", "changes_refused", "path"),
)
_VOID = [status.value for status in NOT_EVALUABLE]
_OWN_COLUMNS = frozenset((*SCHEMA, *KNOWN, *_WORKED_OUT))
_SAFE = re.compile(r"\W+")
_HIDDEN = ("_ng_", "reward")


@dataclass(frozen=True)
class _AnalysisLookup:
    """What the analysis says of rollouts, by run and the run's own name of the task."""

    mode_names: Mapping[str, str]
    modes: Mapping[tuple[str, int], str]
    tasks: Mapping[tuple[str, str], Task]
    labels: Mapping[tuple[str, str], Label]
    apart: Mapping[tuple[str, str, int | None], Label]
    properties: Sequence[str]
    refused: Mapping[int, Any]
    readings: Mapping[tuple[str, str, int], NotedRollout]


def build(runs: Sequence[Run], analysis: Analysis, cases: Sequence[RunCases]) -> pl.DataFrame:
    """`cases` are those of the runs, with their modes."""
    modes = {case.place[:2]: case.mode for run in cases for case in run.failing if case.mode}
    lookup = _AnalysisLookup(
        {mode.id: mode.name for mode in analysis.modes},
        modes,
        {(run, label): task for task in analysis.tasks for run, label in task.called.items()},
        {(sighting.run, sighting.task): sighting for sighting in analysis.labels},
        {(sighting.run, sighting.task, sighting.attempt): sighting for sighting in analysis.rollout_labels},
        sorted({name for task in analysis.tasks for name in task.slices})[:MOST_FIELDS],
        refused_changes(cases),
        readings(cases),
    )
    fields = _field_names(runs)
    return pl.concat([_of_run(run, lookup, fields) for run in runs], how="diagonal_relaxed")


def _of_run(run: Run, lookup: _AnalysisLookup, fields: Mapping[str, str]) -> pl.DataFrame:
    facts = run.facts.with_columns([*_row_fields(run, fields), *_seconds(run)]).filter(~pl.col("copy"))
    derived = [_derived(run, row, lookup) for row in facts.iter_rows(named=True)]
    kinds = {name: kind for name, (kind, _) in KNOWN.items()} | PLACE
    properties = list(dict.fromkeys(_column("task", name) for name in lookup.properties))
    columns = {
        name: pl.Series(name, [row[name] for row in derived], kinds.get(name, pl.String))
        for name in (*_WORKED_OUT, *properties)
    }
    for name, kind in kinds.items():
        if name not in columns:
            columns[name] = facts[_RENAMED.get(name, name)].cast(kind).alias(name)
    extra = {name: facts[name] for name in facts.columns if name.startswith(("row_", "seconds_"))}
    extra.pop("row_hash", None)
    return pl.DataFrame([columns[name] for name in (*kinds, *properties)] + list(extra.values()))


def _derived(run: Run, row: Mapping[str, Any], lookup: _AnalysisLookup) -> dict[str, Any]:
    """What is not in the facts as it stands."""
    path, state, run_and_label = run.raw.sources[row["file"]], row["state"], (run.name, row["label"])
    task, mode = lookup.tasks.get(run_and_label), lookup.modes.get((path, row["line"]))
    label = lookup.apart.get((*run_and_label, row["attempt"])) or lookup.labels.get(run_and_label)
    label = label if row["passed"] is False else None
    bucket = task.runs[run.name].bucket if task and run.name in task.runs else None
    observed = read_sightings(row["sightings"]).items()
    checks = orjson.loads(row["checks"]) if row["checks"] else {}
    return {
        "run": run.name,
        "task": clean(task.task if task else row["label"]),
        "failed": None if row["passed"] is None else not row["passed"],
        "void": state in _VOID or row["stage_lost"] is not None or bool(row["foreign"]),
        "bucket": bucket.value if bucket else None,
        "label": "+".join(label.labels) if label else None,
        "rule": (label.rule or None) if label else None,
        "confidence": label.confidence if label else None,
        "mode": lookup.mode_names.get(mode or "", mode),
        "mode_id": mode,
        **_noted(lookup.readings.get((*run_and_label, row["attempt"]))),
        "row_key": f"{row['row_hash']:016x}",
        "findings": sorted(
            name for name, sighting in observed if sighting.state is State.FIRED and believed(name, state)
        ),
        "checks_failed": [name for name, good in checks.items() if not good],
        "checks_passed": [name for name, good in checks.items() if good],
        "path": clean(path),
        **_observed(orjson.loads(row["observed"]) if row["observed"] else {}, lookup.refused),
        **{_column("task", name): (task.slices.get(name) if task else None) for name in lookup.properties},
    }


def _noted(reading: NotedRollout | None) -> dict[str, Any]:
    """What those who read the rollout say of it."""
    items = reading.annotations if reading else ()
    return {
        "read": bool(items),
        "mechanism": "; ".join(dict.fromkeys(item.mechanism for item in items if item.mechanism)) or None,
        "blame": "; ".join(dict.fromkeys(item.blame for item in items if item.blame)) or None,
        "verdict_wrong": any(item.verdict_wrong for item in items),
    }


def _observed(observed: Mapping[str, Any], refused: Mapping[int, Any]) -> dict[str, Any]:
    """What the rollout did, as far as it was kept (`extract.observed`)."""
    changes = observed.get("changes", ())
    with_key = "expected" in observed
    return {
        "first_call": observed["opening"][0] if "opening" in observed else None,
        "streak": observed["streak"][1] if "streak" in observed else None,
        "errors": [error[3] for error in observed.get("errors", ())],
        "shape": effective_shape(observed, refused),
        "observations": observation_names(observed),
        "changes_expected": len(observed["expected"]) if with_key else None,
        "changes_possible": sum(digest not in refused for _, digest in observed["expected"]) if with_key else None,
        "changes_made": sum(bool(change[2]) for change in changes) if with_key else None,
        "changes_right": sum(bool(change[2] and change[3]) for change in changes) if with_key else None,
        "changes_refused": sum(not change[2] for change in changes) if with_key else None,
    }


def _column(kind: str, name: str) -> str:
    """The name of a field or property as a column that needs no quotes, and that no column of our own has."""
    column = f"{kind}_{_SAFE.sub('_', name).strip('_')}"
    return f"{column}_field" if column in _OWN_COLUMNS else column


def _field_names(runs: Sequence[Run]) -> dict[str, str]:
    """Fields of the rows under the names of their columns, the commonest where there are too many."""
    rows: Counter[str] = Counter()
    for run in runs:
        for column in run.columns:
            derived = any(value is not None for value in column.values)
            if derived and len(column.rows) >= RARE * run.facts.height and not column.name.startswith(_HIDDEN):
                rows[column.name] += len(column.rows)
    columns: dict[str, str] = {}
    for name, _ in sorted(rows.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST_FIELDS]:
        columns.setdefault(_column("row", name), name)
    return columns


def _row_fields(run: Run, fields: Mapping[str, str]) -> list[pl.Series]:
    by_name = {column.name: column for column in run.columns}
    return [_series(name, by_name[field], run.facts.height) for name, field in fields.items() if field in by_name]


def _series(name: str, column: Column, height: int) -> pl.Series:
    """A field as a column of one type: true or false, a number, or text."""
    kinds = {type(value) for value in column.values if value is not None}
    values: list[Any] = column.values
    kind: Any = pl.String
    if kinds <= {bool}:
        kind = pl.Boolean
    elif kinds <= {int, float}:
        kind, values = pl.Float64, [None if value is None else float(value) for value in values]
    else:
        values = [None if value is None else clean(str(value)) for value in values]
    filled: list[Any] = [None] * height
    for row, code in zip(column.rows.tolist(), column.codes.tolist(), strict=True):
        filled[row] = values[code]
    return pl.Series(name, filled, kind)


def _seconds(run: Run) -> list[pl.Series]:
    """How long parts of the attempts took, where a field tells or its start and end do."""
    seconds = [durations(fields) for fields in run.fields()]
    names = sorted({name for row in seconds for name in row})[:MOST_FIELDS]
    columns = {_column("seconds", name): name for name in names}
    return [pl.Series(column, [row.get(name) for row in seconds], pl.Float64) for column, name in columns.items()]
