"""Swapping the runs mirrors what `analysis.json` says of the change, to the last digit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from benchmarks.planted_suite.planted_case import case

import blade
from blade.renderers.json import document

if TYPE_CHECKING:
    from pathlib import Path

ONE_OF_EACH = ("outage_in_rows",)
MORE = (
    *("gold_flipped", "tasks_swapped", "slice_regression", "rows_lost_at_random", "duplicated_rows", "reward_signed"),
    *("verifier_bug_shared", "tasks_missing", "cap_lowered", "malformed", "wrong_model_rows", "reward_times_100"),
)
KINDS = (*ONE_OF_EACH, *(pytest.param(kind, marks=pytest.mark.slow) for kind in MORE))
TURNED = {"added": "removed", "removed": "added"}
SAME = (
    *("p", "p_method", "mde", "common_tasks", "verdict", "churn_p", "repeats_needed", "tasks_needed"),
    *("separable", "confounded_with", "shared_outputs"),
)


def told(base: Path, candidate: Path, options: blade.Options) -> dict[str, Any]:
    runs = blade.read(f"one={base}", f"two={candidate}", options=options)
    change: dict[str, Any] = document(blade.analyze_runs(runs, options))["change"]
    return change


def minus(value: float | None) -> float | None:
    return None if value is None else -value


def mirror(span: list[float] | None) -> list[float] | None:
    return None if span is None else [-span[1], -span[0]]


def turned(part: dict[str, Any]) -> dict[str, Any]:
    """The part as the other order of the runs should tell it, without what belongs to one run's rows."""
    kept = {key: part[key] for key in ("cause", "status", "named", "tasks", "rollouts", "p", "theta") if key in part}
    sub = TURNED.get(part["sub"], part["sub"])
    spans = {key: mirror(part.get(key)) for key in ("interval", "bounds")}
    return kept | {"sub": sub, "points": minus(part["points"])} | spans


def plain(part: dict[str, Any]) -> dict[str, Any]:
    return turned(turned(part))


@pytest.mark.parametrize("kind", KINDS)
def test_swapping_the_runs_mirrors_the_change(kind: str, tmp_path: Path, uncached: blade.Options) -> None:
    made = case(kind, "E2", 8, tmp_path, tasks=40, repeats=3, dose=8.0)
    there = told(made.base, made.candidate, uncached)
    back = told(made.candidate, made.base, uncached)
    for key in ("delta", "delta_zero_fill", "delta_common"):
        assert there[key] == minus(back[key])
    assert there["interval"] == mirror(back["interval"])
    assert {key: there[key] for key in SAME} == {key: back[key] for key in SAME}
    assert [plain(part) for part in there["parts"]] == [turned(part) for part in back["parts"]]
    assert [(s["where"], s["excess"], s["p_adjusted"], s["named"]) for s in there["slices"]] == [
        (s["where"], -s["excess"], s["p_adjusted"], s["named"]) for s in back["slices"]
    ]
    flips = [(f["task"], f["base"], f["candidate"], f["lfdr"], f["beyond_noise"]) for f in there["flips"]]
    assert flips == [(f["task"], f["candidate"], f["base"], f["lfdr"], f["beyond_noise"]) for f in back["flips"]]
