from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples
from tests.stats.ledger.letters import points, run

from blade.stats.ledger import Settings, capability, decompose, mode_migration
from blade.stats.ledger.behaviour import split_modes
from blade.stats.ledger.naming import holm, name_modes
from blade.stats.ledger.rows import pair

texts = st.text("111wws0hITM", min_size=1, max_size=6)


@examples(60)
@given(
    st.dictionaries(st.sampled_from("abcdef"), st.tuples(texts, texts), min_size=1), st.sampled_from([0.0, 0.4, 1.0])
)
def test_failure_modes_add_up_to_the_behaviour_part(tasks: dict[str, tuple[str, str]], theta: float) -> None:
    base, candidate = (run({t: both[side] for t, both in tasks.items()}) for side in (0, 1))
    ledger = decompose(base, candidate, Settings(theta={"truncation": theta, "malformed": theta}))
    parts = [p.points for p in ledger.parts if p.cause == "behaviour"]
    assert sum(parts) == pytest.approx(ledger.behaviour.points if ledger.behaviour else 0.0, abs=1e-12)


def test_a_mode_that_did_not_change_is_not_blamed_beside_an_outage() -> None:
    found = points(decompose(run({"t1": "11ww1111"}), run({"t1": "11wsIIII"})))  # w: 1/4 of clean rows, then too
    assert found["behaviour:tool_misuse"] == pytest.approx(-0.75 * 0.25)
    assert found.get("behaviour:wrong_answer", 0.0) == pytest.approx(0.0)


def test_at_theta_1_each_mode_moves_by_its_own_share() -> None:
    both = pair(run({"t": "11ws1111"}), run({"t": "1wwTTTTT"}))
    clean_share = (1 + 3 / 8) / 2
    change = clean_share * (1 / 3 - 6 / 8)
    found = split_modes(both.base, both.candidate, np.array([change]))
    expected = {"wrong_answer": -clean_share * (2 / 3 - 1 / 8), "tool_misuse": clean_share / 8, None: 0.0}
    assert dict(zip(both.modes, found[0].tolist(), strict=True)) == pytest.approx(expected)


def test_losses_without_any_failing_row_have_no_mode() -> None:
    ledger = decompose(run({"t": "1111"}), run({"t": "11TT"}), Settings(theta={"truncation": 0.0}))
    assert {k: v for k, v in points(ledger).items() if v} == pytest.approx({"behaviour": -0.5})


def test_a_swap_of_modes_is_one_migration() -> None:
    ledger = decompose(run({f"t{i}": "11ww" for i in range(8)}), run({f"t{i}": "11ss" for i in range(8)}))
    assert ledger.delta == 0
    assert ledger.migration is not None
    assert (ledger.migration.points, ledger.migration.net) == pytest.approx((0.5, 0.0))
    assert (ledger.migration.less, ledger.migration.more) == (("wrong_answer",), ("tool_misuse",))
    assert not any(p.named for p in ledger.parts)


def test_modes_that_all_pull_one_way_are_no_migration() -> None:
    assert mode_migration({"a": -0.1, "b": -0.05, None: 0.0}) is None
    found = mode_migration({"a": -0.1, "b": 0.04, None: 0.01})
    assert found is not None
    assert (found.points, found.net) == pytest.approx((0.05, -0.05))
    assert (found.less, found.more) == (("b", None), ("a",))


def test_part_rewards_of_tasks_never_solved_stand_apart() -> None:
    found = capability([0, 1, 2, 0], [1, 0, 2, 0], [0.1, -0.2, 0.05, 0.01])
    assert (found.gained, found.lost, found.reliability, found.partial) == (0.1, -0.2, 0.05, 0.01)


def test_a_regression_is_named_with_the_mode_that_carries_it() -> None:
    base = run({f"t{i}": "1111w" for i in range(20)})
    candidate = run({f"t{i}": "11s1w" if i % 2 else "1sss1" for i in range(20)})
    ledger = decompose(base, candidate, Settings(behaviour_p=0.0001))
    assert ledger.behaviour is not None
    assert ledger.behaviour.named
    named = [(p.cause, p.sub) for p in ledger.parts if p.named]
    assert named == [("behaviour", "tool_misuse")]
    quiet = decompose(base, candidate, Settings(behaviour_p=0.2))
    assert not any(p.named for p in quiet.parts)


def test_a_rise_that_truncation_may_have_made_is_not_named() -> None:
    base = run({f"t{i}": "11ww" for i in range(20)})
    candidate = run({f"t{i}": "11TT" for i in range(20)})  # clean rows all pass now
    ledger = decompose(base, candidate, Settings(behaviour_p=1e-9))
    assert ledger.delta == 0
    assert not any(p.named for p in ledger.parts)
    assert ledger.behaviour is not None
    assert ledger.behaviour.status == "bounds"


def test_holm_keeps_order_and_gaps() -> None:
    assert holm([0.04, None, 0.01, 0.03]) == pytest.approx([0.06, None, 0.03, 0.06])
    assert holm([]) == []


def test_modes_against_the_current_are_not_named() -> None:
    assert name_modes([-0.2, 0.1, -0.01, -0.0001], [0.2, 0.0, 0.001, 0.0], -0.1, 0.001) == [True, False, True, False]
