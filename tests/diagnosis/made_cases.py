"""Cases made by hand, so that a diagnosis can be checked with a pencil."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import polars as pl

from blade.counting.run import Run
from blade.diagnosis.cases import Case, RunCases
from blade.findings import Cite, Sighting, State


class NamedRun:
    """Stands for a run where only its name and flaws are asked for, and whether its outputs are those of another."""

    def __init__(self, name: str, rows: int) -> None:
        self.name = name
        self.graded = pl.DataFrame({"output_hash": [None] * rows, "created_at": [None] * rows})
        self.raw = SimpleNamespace(flaws=())


def seen(detail: str = "does something", value: str = "", state: State = State.FIRED) -> Sighting:
    guard = "G1" if state is State.GUARDED else ""
    return Sighting(state, (Cite(0, "text", 0, 5, "quote"),), detail, value, guard)


def case(task: str, attempt: int, reward: float, run: str = "a", **more: Any) -> Case:
    """`fired` names the detectors that fired, or maps them to sightings; `state` is the row's status."""
    fired = more.pop("fired", ())
    sightings = dict(fired) if isinstance(fired, dict) else {name: seen() for name in fired}
    made = {
        "run": run,
        "key": task,
        "label": task,
        "attempt": attempt,
        "reward": reward,
        "passed": reward >= 1,
        "failing": reward < 1,
        "state": "ok",
        "reason": None,
        "answer": None,
        "sightings": sightings,
        "letters": "",
        "place": (f"{run}.jsonl", len(task) * 100 + attempt, 0, 10),
        **more,
    }
    return Case(**made)


def run_of(*cases: Case, name: str = "a") -> RunCases:
    return RunCases(cast("Run", NamedRun(name, len(cases))), cases)
