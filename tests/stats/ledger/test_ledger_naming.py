"""What is named, and what the ledger says where there is hardly anything to say."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

import pytest
from tests.stats.ledger.letters import points

from blade.stats.ledger import Capability, LedgerRow, LedgerRun, decompose, shapley
from blade.stats.ledger.naming import holm, name_modes


def test_of_the_modes_that_pull_along_the_largest_is_named_and_those_beyond_chance() -> None:
    unsure: list[float | None] = [0.5, 0.5, None, 0.5]
    moved = [-0.05, -0.03, -0.02, 0.04]
    assert name_modes(moved, unsure, -0.06, 0.01) == [True, False, False, False]
    assert name_modes(moved, [0.5, 0.001, None, 0.001], -0.06, 0.01) == [True, True, False, False]
    assert name_modes([-0.005, -0.004], [0.001, 0.001], -0.009, 0.01) == [False, False]
    assert name_modes([0.02, -0.09], [0.9, 0.001], 0.01, 0.01) == [True, False]


def test_adjusted_chances_leave_out_what_was_not_tested() -> None:
    assert holm([0.01, None, 0.03]) == [pytest.approx(0.02), None, pytest.approx(0.03)]


def test_a_task_that_a_correction_brings_in_had_nothing_before() -> None:
    def value(made: frozenset[str]) -> Mapping[Hashable, float]:
        return {"there": 0.5, "new": 0.25} if "foreign_rows" in made else {"there": 0.5}

    assert shapley(value, ["foreign_rows"])["foreign_rows"] == {"there": 0.0, "new": -0.25}


def test_half_a_reward_that_the_other_verifier_gives_is_half_a_point() -> None:
    tasks = [f"t{n}" for n in range(6)]
    base = LedgerRun([LedgerRow(task, 1.0, rescored=0.5) for task in tasks for _ in range(2)], None)
    candidate = LedgerRun([LedgerRow(task, 0.5, rescored=1.0) for task in tasks for _ in range(2)], None)
    found = decompose(base, candidate)
    assert found.delta == -0.5
    assert {name: value for name, value in points(found).items() if value} == {"verifier:change": -0.5}


def test_without_rows_every_number_is_nothing() -> None:
    found = decompose(LedgerRun([], None), LedgerRun([LedgerRow("t", 1.0)], None))
    assert found.delta is None
    assert found.parts == ()
    assert found.capability == Capability(0.0, 0.0, 0.0, 0.0)
    assert (found.common, found.common_shares, found.rescored_shares) == (0, (0.0, 0.0), (0.0, 0.0))
    assert (found.imputed_mass, found.imputed_share, found.pooled.points, found.pooled.parts) == (0.0, 0.0, 0.0, 0)
