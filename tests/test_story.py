"""Stories: a cause is planted, and BLADE names it first; two runs that are alike get no cause at all."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.planted_suite.planted_case import case

import blade
from blade.model import Change

STORIES = [
    ("outage_in_rows", "infrastructure", None),
    ("duplicated_rows", "duplicate_rows", None),
    pytest.param("wrong_model_rows", "foreign_rows", None, marks=pytest.mark.slow),
    pytest.param("reward_times_100", "reward_rescaled", None, marks=pytest.mark.slow),
    pytest.param("reward_signed", "reward_rescaled", None, marks=pytest.mark.slow),
    pytest.param("tasks_missing", "coverage", "task_missing", marks=pytest.mark.slow),
    pytest.param("tasks_swapped", "composition", None, marks=pytest.mark.slow),
    pytest.param("verifier_bug_shared", "verifier", "change", marks=pytest.mark.slow),
]


def explained(kind: str, folder: Path, options: blade.Options, *, seed: int, dose: float = 12.0) -> Change:
    made = case(kind, "E2", seed, folder, tasks=40, repeats=4, dose=dose)
    (change,) = blade.analyze(made.base, made.candidate, options=options).changes
    total = sum(part.points for part in change.parts)
    assert change.delta is not None
    assert total == pytest.approx(change.delta, abs=1e-9)
    return change


@pytest.mark.parametrize(("kind", "cause", "sub"), STORIES)
def test_a_planted_cause_is_named_first(
    kind: str, cause: str, sub: str | None, tmp_path: Path, uncached: blade.Options
) -> None:
    change = explained(kind, tmp_path, uncached, seed=4)
    first = change.parts[0]
    assert first.named
    assert first.cause == cause
    assert sub is None or first.sub == sub


@pytest.mark.parametrize("seed", [2, pytest.param(4, marks=pytest.mark.slow)])
def test_two_runs_that_are_alike_get_no_cause(seed: int, tmp_path: Path, uncached: blade.Options) -> None:
    change = explained("null", tmp_path, uncached, seed=seed)
    assert not [part for part in change.parts if part.named]


@pytest.mark.slow
def test_swapping_the_runs_negates_the_change_and_leaves_the_rest(tmp_path: Path, uncached: blade.Options) -> None:
    made = case("outage_in_rows", "E2", 6, tmp_path, tasks=40, dose=8.0)
    (there,) = blade.analyze(made.base, made.candidate, options=uncached).changes
    (back,) = blade.analyze(made.candidate, made.base, options=uncached).changes
    assert back.delta == pytest.approx(-(there.delta or 0.0), abs=1e-12)
    assert back.interval is not None
    assert there.interval is not None
    assert back.interval == pytest.approx((-there.interval[1], -there.interval[0]), abs=1e-12)
    assert (back.p, back.mde, back.verdict, back.churn_p) == (there.p, there.mde, there.verdict, there.churn_p)
    ours = {(part.cause, part.sub): (part.points, part.status, part.named) for part in there.parts}
    theirs = {(part.cause, part.sub): (-part.points, part.status, part.named) for part in back.parts}
    assert ours.keys() == theirs.keys()
    for key, (points, status, named) in ours.items():
        assert theirs[key][0] == pytest.approx(points, abs=1e-12)
        assert theirs[key][1:] == (status, named)
