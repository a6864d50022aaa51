"""Aggregate, profile and agent-metrics files held against the rows they were made from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from blade.counting.recompute import Recomputed, check_agent_metrics, check_aggregate, check_profile, rows_from_facts
from blade.counting.run import Run
from blade.files.lines import UNREADABLE, iter_lines, open_bytes, parse
from blade.files.sniff import load_document
from blade.model import Flaw

SHOWN = 20


def check_sidecars(run: Run) -> tuple[list[dict[str, Any]], list[Flaw]]:
    """One entry per summary file: how many values agree, which do not, and why that may be."""
    entries: list[dict[str, Any]] = []
    flaws: list[Flaw] = []
    rows = None
    for role in ("aggregate", "agent_metrics", "profile"):
        for item in run.raw.sidecars.get(role, ()):
            rows = rows if rows is not None else rows_from_facts(run.raw.rollouts)
            entry = _entry(item.path, _recompute(role, item.path, rows))
            entries.append(entry)
            flaws.extend(_flaws(item.path, entry))
    return entries, flaws


def _recompute(role: str, path: Path, rows: Sequence[Any]) -> Recomputed:
    if role == "profile":
        return check_profile(_profile_rows(path), rows)
    document = load_document(path)
    return check_aggregate(document, rows) if role == "aggregate" else check_agent_metrics(document, rows)


def _profile_rows(path: Path) -> list[Any]:
    try:
        with open_bytes(path) as stream:
            return [parse(line.data).value for line in iter_lines(stream)]
    except UNREADABLE:
        return []


def _entry(path: Path, recomputed: Recomputed) -> dict[str, Any]:
    return {
        "file": str(path),
        "kind": recomputed.file_kind,
        "matched": recomputed.matched,
        "groups_matched": recomputed.groups_matched,
        "disagreements": recomputed.disagreements_total,
        "examples": [asdict(item) for item in recomputed.disagreements[:SHOWN]],
        "not_recomputed": list(recomputed.not_recomputed),
        "problems": list(recomputed.problems),
        "tolerance": recomputed.tolerance,
    }


def _flaws(path: Path, entry: dict[str, Any]) -> list[Flaw]:
    flaws = [Flaw("sidecar-problem", text, str(path)) for text in entry["problems"]]
    if entry["disagreements"]:
        first = entry["examples"][0]
        text = (
            f"{entry['disagreements']} values differ from the rows (first: {first['key']} is {first['stored']} there "
            f"and {first['recomputed']} from the rows); {first['likely_cause']}"
        )
        flaws.append(Flaw("sidecar-disagrees", text, str(path)))
    return flaws
