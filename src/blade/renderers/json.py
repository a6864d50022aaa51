"""JSON: analysis.json, as other programs rely on it, and the metrics sidecar of each run."""

from __future__ import annotations

import dataclasses
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from blade.diagnosis.interventions import failing_totals
from blade.diagnosis.labels import count_labels
from blade.document import Report
from blade.findings import Finding, Label
from blade.model import Analysis, Change, File, RunAnalysis, Task
from blade.stats.rounding import WRITTEN, significant
from blade.version import __version__

EXTENSION = "json"
FORMAT = 1
MOST_TASKS = 1000
_OBEYED = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""Commands to a screen beyond those of ASCII, marks of the writing direction, and ends of lines that are none."""


def document(analysis: Analysis, report: Report | None = None) -> dict[str, Any]:
    """The analysis as plain data: every key of the contract is there, empty where there is nothing."""
    changes = [change_data(change) for change in analysis.changes]
    values: dict[str, Any] = {
        "format": FORMAT,
        "blade": __version__,
        "benchmark": analysis.benchmark,
        "runs": [run_data(run) for run in analysis.runs],
        "tasks": [task_data(task) for task in analysis.tasks[:MOST_TASKS]],
        "change": changes[0] if changes else None,
        "changes": changes,
        "modes": analysis.modes,
        "funnel": [dict(stage) for stage in analysis.funnel],
        "twins": [dict(twin) for twin in analysis.twins],
        "findings": [_finding(finding) for finding in analysis.findings],
        "labels": list(_shown_labels(analysis)),
        "readings": [dict(item) for item in analysis.readings],
        "meanings": {code: dict(words) for code, words in analysis.meanings.items()},
        "interventions": analysis.interventions,
        "other_interventions": analysis.other_interventions,
        "counterfactuals": [dict(item) for item in analysis.counterfactuals],
        "stories": [dict(item) for item in analysis.stories],
        "health": [dict(item) for item in analysis.health],
        "health_checks": [dict(item) for item in analysis.health_checks],
        "ranking": analysis.ranking,
        "series": analysis.series,
        "contrasts": [dict(item) for item in analysis.contrasts],
        "investigation": {name: dict(answer) for name, answer in analysis.investigation.items()},
        "claims": list(report.claims()) if report else [],
        "flaws": analysis.flaws,
        "identity": [dict(item) for item in analysis.identity],
        "inventory": [_file(file) for file in analysis.inventory],
        "totals": {
            "tasks": len(analysis.tasks),
            "runs": len(analysis.runs),
            "flaws": len(analysis.flaws),
            "findings": analysis.findings_total,
            "labels": len(analysis.labels),
            "label_counts": count_labels(analysis.labels),
            "failing": failing_totals(analysis.modes, analysis.interventions),
        },
    }
    return plain(values)  # type: ignore[no-any-return]


def _shown_labels(analysis: Analysis) -> Iterator[Label]:
    """The labels of the tasks, then those of attempts that differ from their task; so many of each run."""
    counts: Counter[tuple[str, bool]] = Counter()
    for label in (*analysis.labels, *analysis.rollout_labels):
        kind = label.run, label.attempt is None
        counts[kind] += 1
        if counts[kind] <= MOST_TASKS:
            yield label


def run_data(run: RunAnalysis) -> dict[str, Any]:
    provenance = run.provenance
    chain = run.denominator
    return {
        "name": run.name,
        "files": [_file(file) for file in run.files],
        "model": next(iter(provenance.models), None) if len(provenance.models) <= 1 else None,
        "models": dict(provenance.models),
        "checkpoint": provenance.checkpoint,
        "agent": provenance.agent,
        "skills": provenance.skills,
        "sampling": {**provenance.sampling},
        "sampling_varies": list(provenance.sampling_varies),
        "config": {"file": provenance.config_file} if provenance.config_file else None,
        "learned_fields": dict(provenance.learned),
        "notes": provenance.notes,
        "tasks": run.tasks,
        "rollouts": run.rollouts,
        "expected": chain.expected,
        "score_threshold": run.score_threshold,
        "pass_source": run.pass_source,
        "scale": run.scale,
        "key_source": run.key_source,
        "statuses": dict(run.statuses),
        "reasons": [dict(item) for item in run.reasons],
        "metrics": dict(run.metrics),
        "denominator": dataclasses.asdict(chain),
        "buckets": dict(run.buckets) if run.buckets is not None else None,
        "buckets_evaluable": dict(run.buckets_evaluable) if run.buckets_evaluable is not None else None,
        "tokens": dict(run.tokens),
        "spending": dict(run.spending),
        "endings": dict(run.endings),
        "slices": [dict(line) for line in run.slices],
        "checks": [dict(check) for check in run.checks],
        "fields": [dict(item) for item in run.fields],
        "audit": dict(run.audit),
    }


def change_data(change: Change) -> dict[str, Any]:
    """One change, with at most a thousand flips and parts' tasks."""
    parts = [dataclasses.asdict(dataclasses.replace(part, rows=frozenset())) for part in change.parts]
    return {**fields_of(change), "parts": [_part(part) for part in parts]}


def _part(part: Mapping[str, Any]) -> dict[str, Any]:
    """A part is named if it stands out from chance and tells a cause: what is unexplained never is."""
    kept = {key: part[key] for key in part if key != "rows"}
    return kept | {"named": part["named"] and part["blame"] != "unexplained", "significant": part["named"]}


def task_data(task: Task) -> dict[str, Any]:
    return {
        "task": task.task,
        "key_source": task.key_source,
        "slices": dict(task.slices),
        "text": task.text,
        "runs": dict(task.runs),
    }


def metrics_sidecar(run: RunAnalysis, benchmark: str | None) -> dict[str, Any]:
    """The metrics sidecar of a golden report: the keys people know, and the numbers beside them."""
    metrics = run.metrics
    k = metrics["k"]
    return plain(  # type: ignore[no-any-return]
        {
            "model_name": next(iter(run.provenance.models), None) if len(run.provenance.models) == 1 else run.name,
            "benchmark": benchmark,
            "run": run.name,
            "pass_at_1": metrics["pass_at_k"].get("1"),
            "pass_at_k": metrics["pass_at_k"].get(str(k)) if k else None,
            "k": k,
            "total_tasks": run.tasks,
            "total_rollouts": run.rollouts,
            "mean_reward": metrics["micro"],
            "score": metrics["score"],
            "score_interval": metrics["score_interval"],
            "score_zero_fill": metrics["score_zero_fill"],
            "consistency": metrics["consistency"],
            "coverage": metrics["coverage"],
            "retry_value": metrics["retry_value"],
            "flakiness": metrics["flakiness"],
            "pass_at_k_all": metrics["pass_at_k"],
            "pass_hat_k_all": metrics["pass_hat_k"],
            "majority_at_k": metrics["majority_at_k"],
            "majority_first_k": metrics["majority_first_k"],
            "evaluable": metrics["evaluable"],
            "buckets": run.buckets,
            "statuses": run.statuses,
            "denominator": run.denominator,
            "slices": list(run.slices),
            "tokens": run.tokens,
            "endings": run.endings,
        },
    )


def dump(value: Mapping[str, Any]) -> bytes:
    """Indented JSON, keys in the order given, ending in a newline.

    What a screen would obey or turn round is written as an escape, like the control characters that JSON has no place
    for: programs read the same text, and a person who prints it is safe.
    """
    written = orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE | orjson.OPT_NON_STR_KEYS)
    if written.isascii() and b"\x7f" not in written:
        return written
    return _OBEYED.sub(lambda letter: f"\\u{ord(letter[0]):04x}", written.decode()).encode()


def render(report: Report) -> str:
    """The worded report as JSON: titles, and every claim with its proof."""
    sections = [{"name": section.name, "title": section.title} for section in report.sections]
    return dump(plain({"title": report.title, "sections": sections, "claims": list(report.claims())})).decode()


def plain(value: Any) -> Any:
    """Only JSON, and only what is meant: tuples become lists, infinities null, text what UTF-8 can hold.

    Numbers have twelve significant digits: what follows them differs from one processor to the next.
    """
    kind = type(value)
    if value is None or kind is bool or (kind is str and value.isascii()):  # most values by far
        return value
    if kind is dict or isinstance(value, Mapping):
        return {
            key if type(key) is str and key.isascii() else plain(str(key)): plain(inner) for key, inner in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [plain(inner) for inner in value]
    if isinstance(value, float):
        return significant(value, WRITTEN) if math.isfinite(value) else None
    if isinstance(value, int) and abs(value) >= 1 << 63:
        return float(value)
    if isinstance(value, str):
        return str(value) if value.isascii() else str(value).encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, int):
        return value
    return plain(fields_of(value)) if dataclasses.is_dataclass(kind) else str(value)


def fields_of(value: Any) -> dict[str, Any]:
    """The fields of a dataclass with their values as they are; `plain` opens those that are dataclasses themselves."""
    return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}


def _finding(finding: Finding) -> dict[str, Any]:
    proofs = [{**fields_of(proof), "sha256": proof.sha256} for proof in finding.evidence]
    return {**fields_of(finding), "evidence": proofs}


def _file(file: File) -> dict[str, Any]:
    return {
        "path": str(file.path),
        "kind": file.kind,
        "rows": file.rows,
        "bytes": file.bytes,
        "fingerprint": file.fingerprint,
        "note": file.note,
    }
