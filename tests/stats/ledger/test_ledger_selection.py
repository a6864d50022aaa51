from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples
from tests.stats.ledger.letters import run

from blade.stats.ledger.decomposition import decompose_tasks
from blade.stats.ledger.rows import CLASSES, ClassCounts, pair
from blade.stats.ledger.selection import bisected, clean_rate, one_theta, would_pass

texts = st.text("1111www0hIVTPMx", min_size=1, max_size=8)
unit = st.floats(0.0, 1.0)
clear = st.floats(0.05, 0.95)
NO_CONTROL = np.full((1, len(CLASSES)), np.nan)


def shapley(start: list[float], end: list[float], g: list[float], psi: list[list[float]], zs: int) -> list[float]:
    """By walking all orders: players are the classes, each with its share and reward, and last the behaviour."""

    def value(switched: set[int]) -> float:
        side = int(zs in switched)
        hits = sum((end if z in switched else start)[zs + z] for z in range(zs))
        return g[side] + hits - sum((end if z in switched else start)[z] * psi[side][z] for z in range(zs))

    found = [0.0] * (zs + 1)
    for order in permutations(range(zs + 1)):
        done: set[int] = set()
        for player in order:
            found[player] += value(done | {player}) - value(done)
            done.add(player)
    return [f / math.factorial(zs + 1) for f in found]


def cells(letters: str) -> ClassCounts:
    return pair(run({"t": letters}), run({})).base


@examples(60)
@given(texts, texts, st.one_of(st.just([1.0] * 6), st.lists(unit, min_size=6, max_size=6)))
def test_parts_are_the_mean_over_all_orders_of_switching_causes(one: str, two: str, theta: list[float]) -> None:
    a, b = cells(one + "w"), cells(two + "w")  # a clean row in each
    th = np.array(theta)
    found = decompose_tasks(a, b, th, NO_CONTROL)
    g = [clean_rate(c.clean_total / c.n, c.count / c.n[:, None], th) for c in (a, b)]
    psi = [would_pass(rate, th)[0].tolist() for rate in g]
    present = [z for z in range(len(CLASSES)) if a.count[0, z] or b.count[0, z]]
    start, end = (
        [float(c.count[0, z] / c.n[0]) for z in present] + [float(c.total[0, z] / c.n[0]) for z in present]
        for c in (a, b)
    )
    rates = [float(r[0]) for r in g]
    by_hand = shapley(start, end, rates, [[p[z] for z in present] for p in psi], len(present))
    assert found.classes[0, present].tolist() == pytest.approx(by_hand[:-1], abs=1e-12)
    assert float(found.behaviour[0]) == pytest.approx(by_hand[-1], abs=1e-10)


@given(clear, clear, clear)
def test_the_quadratic_and_the_bisection_find_the_same_rate(rate: float, hit: float, theta: float) -> None:
    a, q, th = np.array([rate * (1 - hit)]), np.array([[hit]]), np.array([[theta]])
    root = one_theta(a, np.zeros(1), q[:, 0], th[:, 0])
    assert root == pytest.approx(bisected(a, q, th), abs=1e-9)
    assert root[0] - hit * float(would_pass(root, th)[0, 0]) == pytest.approx(a[0], abs=1e-12)


@given(clear, st.lists(unit, min_size=5, max_size=5), st.lists(st.floats(0.0, 0.18), min_size=5, max_size=5))
def test_a_rate_with_several_classes_solves_its_equation(rate: float, theta: list[float], shares: list[float]) -> None:
    q, th = np.array([shares]), np.array(theta)
    a = np.array([rate * (1 - q.sum())])
    g = clean_rate(a, q, th)
    assert a[0] - 1e-12 <= g[0] <= rate + 1e-12
    assert g[0] - float((q * would_pass(g, th)).sum()) == pytest.approx(a[0], abs=1e-9)


def test_hits_that_do_not_look_leave_the_clean_mean() -> None:
    assert clean_rate(np.array([0.3]), np.array([[0.5]]), np.array([1.0])) == pytest.approx(0.6)


def test_hits_on_lost_rollouts_leave_the_passes_over_all_rows() -> None:
    assert clean_rate(np.array([0.3]), np.array([[0.5]]), np.array([0.0])) == pytest.approx(0.3)
    mixed = clean_rate(np.array([0.3]), np.array([[0.25, 0.25]]), np.array([1.0, 0.0]))
    assert mixed == pytest.approx(0.4)  # 0.3 of the 0.75 that no outage took


def test_a_task_of_hit_rows_has_no_rate_of_its_own() -> None:
    assert clean_rate(np.array([0.0]), np.array([[0.5, 0.5]]), np.array([0.3, 0.6])) == pytest.approx(0.0)


@given(texts, texts)
def test_a_class_that_stays_as_it_was_gets_nothing(one: str, two: str) -> None:
    kept = one.replace("T", "0").replace("P", "0") + "T"
    other = "".join(sorted(kept, key=lambda c: (two + c).index(c)))
    assert not decompose_tasks(cells(kept), cells(other), np.full(len(CLASSES), 0.5), NO_CONTROL).classes.any()
