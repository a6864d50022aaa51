"""Check never passes: it fails in every judged rollout of every run, while the other checks of its task pass.

What no run ever meets, though all do the rest, is more likely asked by the test alone than by the task. Where nearly
all attempts ran out of time, it is unfinished work that fails; where a rollout passes without it, one of several checks
is enough.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson
import polars as pl

from blade.counting.run import Run
from blade.health import ALL, TWO_RUNS, Context, Item, Unchecked, item, row_evidence
from blade.model import Status
from blade.wording import count

FEWEST_ROWS = 5
FEWEST_RUNS = 2
ALONE = 0.5
"""In so many rollouts the check is the only one that fails."""
NEARLY_ALL = 0.9
SHOWN = 3


@dataclass(slots=True)
class _TaskChecks:
    """The judged rollouts of one task over all runs."""

    label: str
    runs: set[str] = field(default_factory=set)
    rows: list[tuple[Run, Mapping[str, Any], dict[str, int]]] = field(default_factory=list)

    def never_passed(self) -> tuple[str, int] | None:
        """The check that no rollout passes and that is most often the only one failed, with how often."""
        if len(self.rows) < FEWEST_ROWS or len(self.runs) < FEWEST_RUNS:
            return None
        if sum(row["state"] == Status.TIMED_OUT.value for _, row, _ in self.rows) >= NEARLY_ALL * len(self.rows):
            return None
        if any(row["passed"] for _, row, _ in self.rows):
            return None
        names = set.intersection(
            *({name for name, passed in checks.items() if not passed} for _, _, checks in self.rows)
        )
        alone = {name: sum(_only(name, checks) for _, _, checks in self.rows) for name in names}
        best = max(sorted(alone), key=lambda name: alone[name], default=None)
        return (best, alone[best]) if best is not None and alone[best] >= ALONE * len(self.rows) else None


def _only(name: str, checks: Mapping[str, int]) -> bool:
    return len(checks) > 1 and sum(not passed for passed in checks.values()) == 1 and not checks[name]


def unchecked(context: Context) -> Unchecked:
    if len(context.runs) < FEWEST_RUNS:
        return {ALL: TWO_RUNS}
    has_checks = {run.name: run.facts["checks"].null_count() < run.facts.height for run in context.runs}
    return {name: "no row names the checks behind its verdict" for name, is_named in has_checks.items() if not is_named}


def check(context: Context) -> list[Item]:
    tasks: dict[str, _TaskChecks] = {}
    columns = ("task", "label", "attempt", "state", "passed", "checks", "file", "line", "offset", "length")
    for place, run in enumerate(context.runs):
        rows = run.graded.filter(pl.col("checks").is_not_null() & pl.col("stage_lost").is_null())
        for row in rows.select(columns).iter_rows(named=True):
            group = tasks.setdefault(context.key(place, row["task"]), _TaskChecks(row["label"]))
            group.runs.add(run.name)
            group.rows.append((run, row, orjson.loads(row["checks"])))
    return [finding for group in tasks.values() if (finding := _item(group)) is not None]


def _item(group: _TaskChecks) -> Item | None:
    checks = group.never_passed()
    if checks is None:
        return None
    name, alone = checks
    by_run: dict[str, int] = defaultdict(int)
    for run, _, _ in group.rows:
        by_run[run.name] += 1
    statement = (
        f"{group.label}: the check “{name}” fails in all {count(len(group.rows), 'judged rollout')} of "
        f"{count(len(group.runs), 'run')}, and is the only check that fails in {alone} of them. "
        "Read whether the task asks for it."
    )
    return item(
        "check_never_passes",
        "medium",
        statement,
        tasks=[group.label],
        evidence=[row_evidence(run, row, name) for run, row, _ in group.rows[:SHOWN]],
    )
