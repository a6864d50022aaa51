"""What the detectors noticed, as findings with evidence that can be opened."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl
from xxhash import xxh3_64_hexdigest

from blade.diagnosis.cases import Case, RunCases
from blade.findings import Finding
from blade.registry import plugins

MOST = 20
COLUMNS: dict[str, type[pl.DataType]] = {
    "id": pl.String,
    "detector": pl.String,
    "family": pl.String,
    "run": pl.String,
    "task": pl.String,
    "attempt": pl.Int64,
    "passed": pl.Boolean,
    "mode": pl.String,
    "state": pl.String,
    "guard": pl.String,
    "statement": pl.String,
    "value": pl.String,
    "file": pl.String,
    "line": pl.Int64,
    "item": pl.Int64,
    "field": pl.String,
    "start": pl.Int64,
    "end": pl.Int64,
    "quote": pl.String,
}


def finding_id(run: str, case: Case, detector: str) -> str:
    """The same finding has the same id in every analysis of the same run."""
    return "f" + xxh3_64_hexdigest(f"{run}\0{case.label}\0{case.attempt}\0{detector}".encode("utf-8", "replace"))[:10]


def examples(runs: Sequence[RunCases]) -> tuple[Finding, ...]:
    """Findings to show: at most twenty per detector and run, those on failed rollouts first."""
    kept: list[Finding] = []
    for run in runs:
        by_rule: dict[str, list[Finding]] = {}
        for case in sorted(run.cases, key=lambda case: not case.failing):
            for finding in _findings(run, case):
                shown = by_rule.setdefault(finding.detector, [])
                if len(shown) < MOST:
                    shown.append(finding)
        kept += [finding for name in sorted(by_rule) for finding in by_rule[name]]
    return tuple(kept)


def total(runs: Sequence[RunCases]) -> int:
    return sum(len(case.fired()) for run in runs for case in run.cases)


def _findings(run: RunCases, case: Case) -> Iterator[Finding]:
    for name, seen in sorted(case.fired().items()):
        yield Finding(
            finding_id(run.run.name, case, name),
            name,
            plugins("detectors")[name].FAMILY,
            run.run.name,
            case.label,
            case.attempt,
            f"{case.label}, attempt {case.attempt}: {seen.detail}.",
            seen.value,
            case.passed,
            tuple(case.evidence(cite) for cite in seen.cites),
        )


def findings_of(mode: str, detector: str | None, runs: Sequence[RunCases]) -> tuple[str, ...]:
    """The findings that make a mode: of its own rule, else of any that fired on its rollouts. The last run's first."""
    found: list[str] = []
    for run in reversed(runs):
        for case in run.cases:
            if case.mode == mode and len(found) < MOST:
                fired = case.fired()
                names = [detector] if detector in fired else sorted(fired)
                found += [finding_id(run.run.name, case, name) for name in names if name]
    return tuple(found[:MOST])


def table(runs: Sequence[RunCases]) -> pl.DataFrame:
    """Everything that fired or was guarded, a row per cite: findings.parquet."""
    columns: dict[str, list[object]] = {name: [] for name in COLUMNS}
    for run in runs:
        for case in run.cases:
            for name, seen in sorted(case.sightings.items()):
                for cite in seen.cites:
                    row = (
                        finding_id(run.run.name, case, name),
                        name,
                        plugins("detectors")[name].FAMILY,
                        run.run.name,
                        case.label,
                        case.attempt,
                        case.passed,
                        case.mode,
                        seen.state.value if case.believes(name) else "set aside",
                        seen.guard,
                        seen.detail,
                        seen.value,
                        case.place[0].encode("utf-8", "replace").decode(),
                        case.place[1],
                        cite.item,
                        cite.field,
                        cite.start,
                        cite.end,
                        cite.quote,
                    )
                    for column, value in zip(columns.values(), row, strict=True):
                        column.append(value)
    return pl.DataFrame(columns, schema=COLUMNS)
