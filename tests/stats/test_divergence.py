from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from blade.stats.divergence import Branch, Rollout, diverge

KNOWN: list[Rollout] = [
    ("search open edit test submit".split(), True),
    ("search open edit test edit submit".split(), True),
    ("search open edit submit".split(), False),
    ("search open edit submit".split(), False),
    ("search edit submit".split(), False),
]

paths = st.lists(st.sampled_from("abc"), max_size=4)
tasks = st.lists(st.tuples(paths, st.booleans()), max_size=7)


def test_known_task_diverges_where_published() -> None:
    found = diverge(KNOWN)
    assert found is not None
    assert found.node == ("search", "open", "edit")
    assert found.gain == pytest.approx(0.80, abs=1e-6)
    assert found.branches == (Branch("submit", 2, 0), Branch("test", 2, 2))
    assert not found.aligned
    assert [(one.rollout, one.step, one.action, one.instead) for one in found.decisions] == [
        (2, 3, "submit", "test"),
        (3, 3, "submit", "test"),
        (4, 1, "edit", "open"),
    ]
    assert [one.drop for one in found.decisions] == pytest.approx([-0.3467, -0.3467, -0.20], abs=5e-5)


def test_five_rollouts_are_never_beyond_chance() -> None:
    found = diverge(KNOWN)
    assert found is not None
    assert found.p == pytest.approx(0.2)  # 2 of the 10 ways to choose two passes tell as much: this one and its mirror


def test_many_rollouts_can_be() -> None:
    found = diverge([(["look", "test"], True)] * 12 + [(["look", "submit"], False)] * 12, seed=1)
    assert found is not None
    assert found.node == ("look",)
    assert found.gain == pytest.approx(1.0)
    assert found.p == pytest.approx(1 / 1000)


def test_to_stop_is_a_step_too() -> None:
    found = diverge([(["look", "fix"], True), (["look", "fix"], True), (["look"], False)])
    assert found is not None
    assert found.branches == (Branch("fix", 2, 2), Branch(None, 1, 0))
    assert [(one.step, one.action, one.instead) for one in found.decisions] == [(1, None, "fix")]


def test_to_go_on_can_be_the_mistake() -> None:
    found = diverge([(["fix"], True), (["fix"], True), (["fix", "undo"], False)])
    assert found is not None
    assert [(one.step, one.action, one.instead) for one in found.decisions] == [(1, "undo", None)]


def test_the_step_that_costs_most_is_blamed() -> None:
    rollouts: list[Rollout] = [(["a", "b", "c"], True), (["a", "x"], True), (["a", "b", "d"], False)]
    found = diverge(rollouts)
    assert found is not None
    base = 2 / 3
    first = (1 + base) / 3 - (2 + base) / 4
    second = base / 2 - (1 + base) / 3
    assert first > second
    assert [one.step for one in found.decisions] == [2]
    assert [one.drop for one in found.decisions] == pytest.approx([second])


def test_of_equal_drops_the_earliest_is_blamed() -> None:
    # V is 1/2, then 1/6 after a, then 1/4 after c or d: later steps cost nothing
    rollouts: list[Rollout] = [(["b"], True), (["b"], True), (["a", "c"], False), (["a", "d"], False)]
    found = diverge(rollouts)
    assert found is not None
    assert [(one.step, one.action, one.instead) for one in found.decisions] == [(0, "a", "b")] * 2


def test_of_equal_nodes_the_shallowest_is_taken() -> None:
    rollouts: list[Rollout] = [
        (["a", "p"], True),
        (["a", "q"], False),
        (["b", "p"], True),
        (["b", "q"], False),
    ]
    found = diverge(rollouts)
    assert found is not None
    assert found.node == ("a",)
    assert found.gain == pytest.approx(0.5)


def test_rollouts_that_never_begin_alike_are_aligned() -> None:
    rollouts: list[Rollout] = [
        (["plan one", "open", "edit", "test", "submit"], True),
        (["plan two", "browse", "give up"], True),
        (["plan three", "open", "edit", "submit"], False),
        (["plan four"], False),
    ]
    found = diverge(rollouts)
    assert found is not None
    assert found.aligned
    assert [(one.rollout, one.step, one.action, one.instead, one.drop) for one in found.decisions] == [
        (2, 3, "submit", "test", None),
        (3, 0, "plan four", "plan one", None),  # nothing in common with either: the first
    ]


def test_a_fail_that_ends_early_is_aligned_to_its_end() -> None:
    found = diverge([(["x", "open", "edit", "test"], True), (["y", "open", "edit"], False)])
    assert found is not None
    assert [(one.step, one.action, one.instead) for one in found.decisions] == [(3, None, "test")]


@pytest.mark.parametrize(
    "rollouts",
    [
        [],
        [(["a"], True)],
        [(["a"], True), (["b"], True)],
        [(["a"], False), (["b"], False)],
        [(["a", "b"], True), (["a", "b"], False)],
        [([], True), ([], False)],
    ],
)
def test_without_passes_fails_and_different_actions_nothing_diverges(rollouts: list[Rollout]) -> None:
    assert diverge(rollouts) is None


@examples(60)
@given(tasks, st.randoms(use_true_random=False))
def test_the_order_of_rollouts_does_not_matter(rollouts: list[Rollout], rng: random.Random) -> None:
    order = rng.sample(range(len(rollouts)), len(rollouts))
    one, other = diverge(rollouts), diverge([rollouts[k] for k in order])
    if one is None or other is None:
        assert one is other
        return
    assert (one.node, one.branches, one.gain, one.p, one.aligned) == (
        other.node,
        other.branches,
        other.gain,
        other.p,
        other.aligned,
    )
    turned = {order[found.rollout]: (found.step, found.action, found.instead, found.drop) for found in other.decisions}
    assert {found.rollout: (found.step, found.action, found.instead, found.drop) for found in one.decisions} == turned


@examples(60)
@given(tasks)
def test_gains_are_shares_of_a_bit_and_drops_are_drops(rollouts: list[Rollout]) -> None:
    found = diverge(rollouts)
    if found is not None:
        assert -1e-12 <= found.gain <= 1.0 + 1e-12
        assert 0.0 < found.p <= 1.0
        assert all(one.drop is None or one.drop < 0 for one in found.decisions)
        assert all(not rollouts[one.rollout][1] for one in found.decisions)


def test_random_labels_are_beyond_chance_as_often_as_promised() -> None:
    rng, small = np.random.default_rng(4), 0
    for _ in range(150):
        rollouts = [(rng.choice(list("abc"), size=3).tolist(), bool(passed)) for passed in rng.random(8) < 0.5]
        found = diverge(rollouts)
        small += found is not None and found.p <= 0.1
    assert small <= 26  # 15 expected at most


def test_long_rollouts_are_cheap() -> None:
    rng = np.random.default_rng(5)
    rollouts = [(rng.choice(list("ab"), size=2000).tolist(), k % 2 == 0) for k in range(32)]
    assert diverge(rollouts) is not None
