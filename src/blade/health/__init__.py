"""Is the benchmark well: one check per file. Each says what it found, how bad that is, and what it does to the score.

A check is a module with `check(context) -> list[Item]`; nothing found is an empty list. `unchecked(context)` (optional)
says of which runs it could not look at anything, and why: nothing found is then no good news.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

from blade.counting.align import Alignment
from blade.counting.denominator import UNTRACED
from blade.counting.measure import Measured
from blade.counting.run import Run
from blade.frozen import frozen
from blade.model import Change, RunAnalysis
from blade.registry import plugins
from blade.wording import listed

MOST_TASKS = 50
Item = dict[str, Any]
Unchecked = Mapping[str, str]
"""Run → why a check could not look at it; under ALL why it could look at none."""
ALL = ""
FOUND, ELSEWHERE = "found", "elsewhere"
SAME_MATTER: Mapping[str, tuple[tuple[str, str], ...]] = {
    "suspect_gold": (("verdicts_and_answers", "agreed"), ("verdicts_and_answers", "units")),
    "flaky_verifier": (("verdicts_and_answers", "apart"),),
    "unnamed_limits": (("cut_json", "runs"), ("more_room", "unnamed")),
}
"""Health check → the questions that look for the same in another way, and the part of the answer that finds it."""
NO_THRESHOLD = "no pass threshold is declared"
TWO_RUNS = "two runs are needed"


@frozen
class Context:
    """The runs of one analysis, the first being the baseline; `alignments` match the others to it."""

    runs: Sequence[Run]
    measured: Sequence[Measured]
    alignments: Sequence[Alignment]
    changes: Sequence[Change] = ()
    """Each run against the first."""

    def key(self, place: int, task: str) -> str:
        """The name under which a task of a run is known to all of them."""
        return self.alignments[place - 1].key(task) if place else task

    def labels(self, place: int) -> Mapping[str, str]:
        facts = self.runs[place].facts
        pairs = dict.fromkeys(zip(facts["task"].to_list(), facts["label"].to_list(), strict=True))
        return dict([*pairs])


def item(
    check: str,
    severity: str,
    statement: str,
    *,
    tasks: Sequence[str] = (),
    evidence: Sequence[Mapping[str, Any]] = (),
    worth: tuple[float, float] | None = None,
    run: str | None = None,
    series: Mapping[str, Any] | None = None,
) -> Item:
    """One thing that is not well. `severity` is high, medium or low; `series` is its course over time.

    `worth` is what the ledger says of its cause: points of the change, and points on the score if that is undone. There
    are none where nothing is compared.
    """
    return {
        "check": check,
        "severity": severity,
        "run": run,
        "tasks": list(tasks[:MOST_TASKS]),
        "tasks_total": len(tasks),
        "statement": statement,
        "evidence": [dict(entry) for entry in evidence],
        "effect": worth[1] if worth else None,
        "change_points": worth[0] if worth else None,
        **({"series": dict(series)} if series else {}),
    }


def row_evidence(run: Run, row: Mapping[str, Any], quote: str | None) -> dict[str, Any]:
    """A row as evidence: where it stands and what it says."""
    return {
        "kind": "row",
        "run": run.name,
        "task": row["label"],
        "attempt": row["attempt"],
        "file": run.raw.sources[row["file"]],
        "line": row["line"],
        "offset": row["offset"],
        "length": row["length"],
        "quote": quote,
    }


def outcome(name: str, module: ModuleType, context: Context, items: Sequence[Item]) -> dict[str, str]:
    """How a check ended: `found`, `clean` or `not_checked`, and why where it could not look at all runs."""
    reason_by_run = dict(module.unchecked(context)) if hasattr(module, "unchecked") else {}
    missed = [run.name for run in context.runs if run.name in reason_by_run]
    blind = ALL in reason_by_run or bool(missed and len(missed) == len(context.runs))
    state = FOUND if items else "not_checked" if blind else "clean"
    reasons = (
        [reason_by_run[ALL]] if ALL in reason_by_run else list(dict.fromkeys(reason_by_run[run] for run in missed))
    )
    reason = "; ".join(reasons)
    if ALL not in reason_by_run and missed and len(missed) < len(context.runs):
        reason = f"not in {listed(missed)}: {reason}"
    return {"check": name, "state": state, "why": reason}


def with_answers(
    health: tuple[Item, ...],
    ended: tuple[Mapping[str, str], ...],
    answers: Mapping[str, Mapping[str, Any]],
    runs: Sequence[RunAnalysis],
) -> tuple[tuple[Item, ...], tuple[Mapping[str, str], ...]]:
    """The health with what answers state of the same troubles: no check is clean of what the report says elsewhere."""
    states = {check["check"]: check["state"] for check in ended}
    added_items = [
        item
        for name, answer in answers.items()
        if hasattr(plugins("questions")[name], "health")
        for item in plugins("questions")[name].health(answer)
        if states[item["check"]] != FOUND
    ]
    checks_told = {item["check"] for item in added_items}
    checks = tuple(
        {**check, "state": FOUND, "why": ""} if check["check"] in checks_told else _placed(check, answers, runs)
        for check in ended
    )
    return (*health, *added_items), checks


def _placed(
    ended: Mapping[str, str], answers: Mapping[str, Mapping[str, Any]], runs: Sequence[RunAnalysis]
) -> Mapping[str, str]:
    """How a check ended; where it found nothing and other parts of the report do, these are named."""
    same_matter = SAME_MATTER.get(ended["check"], ())
    questions = dict.fromkeys(name for name, part in same_matter if answers.get(name, {}).get(part))
    places = [f"“{plugins('questions')[name].TITLE}”" for name in questions]
    losses = [loss for run in runs for loss in run.denominator.losses]
    if ended["check"] == "void_attempts" and any(loss.reason == UNTRACED for loss in losses):
        places.append(f"rows that are missing: “{plugins('sections')['denominator'].TITLE}”")
    if ended["state"] == FOUND or not places:
        return ended
    return {**ended, "state": ELSEWHERE, "why": listed(places)}
