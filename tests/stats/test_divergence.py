from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from blade.stats.divergence import Branch, Rollout, telling_fork

KNOWN: list[Rollout] = [
    ("search open edit test submit".split(), True),
    ("search open edit test edit submit".split(), True),
    ("search open edit submit".split(), False),
    ("search open edit submit".split(), False),
    ("search edit submit".split(), False),
]

paths = st.lists(st.sampled_from("abc"), max_size=4)
tasks = st.lists(st.tuples(paths, st.booleans()), max_size=7)


def test_known_task_forks_where_published() -> None:
    fork = telling_fork(KNOWN)
    assert fork is not None
    assert fork.node == ("search", "open", "edit")
    assert fork.gain == pytest.approx(0.80, abs=1e-6)
    assert fork.branches == (Branch("submit", 2, 0), Branch("test", 2, 2))


def test_a_fork_that_tells_all_is_worth_a_bit() -> None:
    fork = telling_fork([(["look", "test"], True)] * 12 + [(["look", "submit"], False)] * 12)
    assert fork is not None
    assert fork.node == ("look",)
    assert fork.gain == pytest.approx(1.0)


def test_to_stop_is_a_step_too() -> None:
    fork = telling_fork([(["look", "fix"], True), (["look", "fix"], True), (["look"], False)])
    assert fork is not None
    assert fork.branches == (Branch("fix", 2, 2), Branch(None, 1, 0))


def test_of_equal_nodes_the_shallowest_is_taken() -> None:
    rollouts: list[Rollout] = [
        (["a", "p"], True),
        (["a", "q"], False),
        (["b", "p"], True),
        (["b", "q"], False),
    ]
    fork = telling_fork(rollouts)
    assert fork is not None
    assert fork.node == ("a",)
    assert fork.gain == pytest.approx(0.5)


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
def test_without_passes_fails_and_different_actions_nothing_forks(rollouts: list[Rollout]) -> None:
    assert telling_fork(rollouts) is None


@examples(60)
@given(tasks, st.randoms(use_true_random=False))
def test_the_order_of_rollouts_does_not_matter(rollouts: list[Rollout], rng: random.Random) -> None:
    order = rng.sample(range(len(rollouts)), len(rollouts))
    assert telling_fork(rollouts) == telling_fork([rollouts[k] for k in order])


@examples(60)
@given(tasks)
def test_gains_are_shares_of_a_bit(rollouts: list[Rollout]) -> None:
    fork = telling_fork(rollouts)
    if fork is not None:
        assert -1e-12 <= fork.gain <= 1.0 + 1e-12
        assert len(fork.branches) > 1


def test_long_rollouts_are_cheap() -> None:
    rng = np.random.default_rng(5)
    rollouts = [(rng.choice(list("ab"), size=2000).tolist(), k % 2 == 0) for k in range(32)]
    assert telling_fork(rollouts) is not None
