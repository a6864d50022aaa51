"""What the detectors noticed, as findings with evidence that can be opened."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import polars as pl
from xxhash import xxh3_64_hexdigest

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.named_values import named_value
from blade.findings import Finding, Mode, Sighting, State
from blade.registry import plugins

MOST = 20
UNEXPLAINED = "unexplained"
FEWEST_OF_MODE = 3
"""So many findings of each mode are shown, whatever others of its rule come before."""
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


def examples(runs: Sequence[RunCases], modes: Sequence[Mode] = ()) -> tuple[Finding, ...]:
    """Findings to show: at most twenty per detector and run, those on failed rollouts first.

    One rule may make many modes, such as one for each message of a verifier: a few of each are shown in any case, and
    the first finding of every mode.
    """
    findings: list[Finding] = []
    leading = {mode.findings[0] for mode in modes if mode.findings}
    for run in runs:
        by_rule: dict[str, list[Finding]] = {}
        of_mode: Counter[str] = Counter()
        for case in sorted(run.cases, key=lambda case: not case.failing):
            for name, sighting in case.fired().items():
                rule_findings = by_rule.setdefault(name, [])
                makes_mode = case.mode is not None and case.mode.startswith(name)
                if len(rule_findings) < MOST or (
                    makes_mode
                    and (of_mode[str(case.mode)] < FEWEST_OF_MODE or finding_id(run.run.name, case, name) in leading)
                ):
                    rule_findings.append(_finding(run, case, name, sighting))
                    of_mode[str(case.mode)] += makes_mode
        findings += [finding for name in sorted(by_rule) for finding in by_rule[name]]
    return tuple(findings)


def total(runs: Sequence[RunCases]) -> int:
    return sum(len(case.fired()) for run in runs for case in run.cases)


def _finding(run: RunCases, case: Case, name: str, sighting: Sighting) -> Finding:
    return Finding(
        finding_id(run.run.name, case, name),
        name,
        plugins("detectors")[name].FAMILY,
        run.run.name,
        case.label,
        case.attempt,
        f"{case.label}, attempt {case.attempt}: {sighting.detail}.",
        sighting.value,
        case.passed,
        tuple(case.evidence(cite) for cite in sighting.cites),
    )


def findings_of(
    mode: str, detector: str | None, kind: str, runs: Sequence[RunCases], commonest: str = ""
) -> tuple[str, ...]:
    """The findings that make a mode, the last run's first: of its own rule, else of those that speak of its kind.

    Where the kind is not known, all that fired on its rollouts; of those without any mode only what explains nothing:
    a rule that explains failures and was set aside here would contradict what they are called. Those that name the
    `commonest` value go before all others: the first is the example that stands for the mode.
    """
    rules = plugins("detectors")
    cases = [case for run in reversed(runs) for case in run.cases if case.mode == mode]
    if commonest:
        cases.sort(key=lambda case: named_value(case, detector) != commonest)
    ids: list[str] = []
    for case in cases:
        if len(ids) >= MOST:
            break
        fired = case.fired()
        names = [name for name in sorted(fired) if kind in {"unknown", rules[name].KIND}]
        if detector is not None:  # a rule of another kind would speak for it
            names = [name for name in names if name == detector]
        elif mode == UNEXPLAINED:
            names = [name for name in names if not rules[name].EXPLAINS]
        ids += [finding_id(case.run, case, name) for name in names]
    return tuple(ids[:MOST])


def table(runs: Sequence[RunCases]) -> pl.DataFrame:
    """Everything that fired or was guarded, a row per cite: findings.parquet."""
    families = {name: rule.FAMILY for name, rule in plugins("detectors").items()}
    states = {state: state.value for state in State}
    files = {case.place[0] for run in runs for case in run.cases}
    file_names = {file: file.encode("utf-8", "replace").decode() for file in files}
    rows = []
    for run in runs:
        for case in run.cases:
            for name, sighting in sorted(case.sightings.items()):
                if not sighting.cites:
                    continue
                identity = (
                    finding_id(run.run.name, case, name),
                    name,
                    families[name],
                    run.run.name,
                    case.label,
                    case.attempt,
                    case.passed,
                    case.mode,
                    states[sighting.state] if case.believes(name) else "set aside",
                    sighting.guard,
                    sighting.detail,
                    sighting.value,
                    file_names[case.place[0]],
                    case.place[1],
                )
                rows += [
                    (*identity, cite.item, cite.field, cite.start, cite.end, cite.quote) for cite in sighting.cites
                ]
    columns = zip(*rows, strict=True) if rows else ((),) * len(COLUMNS)
    return pl.DataFrame(dict(zip(COLUMNS, columns, strict=True)), schema=COLUMNS)
