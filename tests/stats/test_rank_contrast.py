from __future__ import annotations

import math
import random
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from blade.stats.rank_contrast import Stratum, auc_parts, pooled_auc, rank_p

KNOWN: list[Stratum] = [([5, 7], [9, 14]), ([4, 6], [6, 12, 15]), ([8], [9, 10])]

numbers = st.lists(st.integers(0, 4), min_size=1, max_size=4)


def exact_rank_p(strata: list[Stratum]) -> float:
    """By dealing out the labels in all ways."""

    def statistic(passes: list[float], fails: list[float]) -> float:
        pairs = sum((x > y) + 0.5 * (x == y) for x in passes for y in fails)
        return (pairs - len(passes) * len(fails) / 2) / (len(passes) + len(fails) + 1)

    seen = sum(statistic(list(passes), list(fails)) for passes, fails in strata)
    laws = []
    for passes, fails in strata:
        rows = [*passes, *fails]
        law = []
        for chosen in combinations(range(len(rows)), len(passes)):
            rest = [row for k, row in enumerate(rows) if k not in chosen]
            law.append(statistic([rows[k] for k in chosen], rest))
        laws.append(law)
    totals = [abs(sum(parts)) >= abs(seen) - 1e-9 for parts in product(*laws)]
    return sum(totals) / len(totals)


def test_known_numbers_have_their_published_contrast() -> None:
    assert pooled_auc(KNOWN) == pytest.approx(0.036232, abs=1e-6)
    assert rank_p(KNOWN, seed=1) == pytest.approx(0.0168, abs=0.001)
    assert exact_rank_p(KNOWN) == pytest.approx(3 / 180)


@examples(40)
@given(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=2))
def test_shuffling_finds_the_exact_p(strata: list[Stratum]) -> None:
    found = rank_p(strata)
    exact = exact_rank_p(strata)
    assert (1.0 if found is None else found) == pytest.approx(exact, abs=0.025)  # five standard errors


def test_many_equal_tasks_are_drawn_together_as_well_as_one_by_one() -> None:
    found = rank_p([([1.0], [2.0]), ([3.0], [2.0])] * 30 + [([1.0], [2.0])] * 12, seed=2)
    binomial = 2 * sum(math.comb(72, k) for k in range(31)) / 2**72  # 42 signs against 30
    assert found == pytest.approx(binomial, abs=0.02)


def test_long_tasks_are_shuffled() -> None:
    rng = np.random.default_rng(1)
    long: Stratum = (rng.normal(0.2, 1, size=300).tolist(), rng.normal(0, 1, size=300).tolist())
    pairs, weight = auc_parts(long)
    z = (pairs / weight - 0.5) / math.sqrt(601 / (12 * 300 * 300))
    assert rank_p([long], permutations=4000) == pytest.approx(math.erfc(abs(z) / math.sqrt(2)), abs=0.04)


def test_a_scale_does_not_matter_and_passes_and_fails_are_mirror_images() -> None:
    stretched: list[Stratum] = [([x**3 for x in passes], [x**3 for x in fails]) for passes, fails in KNOWN]
    swapped: list[Stratum] = [(fails, passes) for passes, fails in KNOWN]
    assert pooled_auc(stretched) == pooled_auc(KNOWN)
    assert rank_p(stretched) == rank_p(KNOWN)
    assert pooled_auc(swapped) == pytest.approx(1 - (pooled_auc(KNOWN) or 0))
    assert rank_p(swapped) == pytest.approx(rank_p(KNOWN), abs=0.006)


@given(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=6), st.randoms(use_true_random=False))
@examples(25)
def test_the_order_of_tasks_and_rows_does_not_matter(strata: list[Stratum], rng: random.Random) -> None:
    shuffled: list[Stratum] = [
        (rng.sample(passes, len(passes)), rng.sample(fails, len(fails)))
        for passes, fails in rng.sample(strata, len(strata))
    ]
    assert pooled_auc(strata) == pooled_auc(shuffled)
    assert rank_p(strata, permutations=500) == rank_p(shuffled, permutations=500)


def test_without_a_mixed_task_or_a_difference_there_is_nothing_to_test() -> None:
    assert (pooled_auc([]), rank_p([])) == (None, None)
    assert (pooled_auc([([1.0], [])]), rank_p([([1.0], [])])) == (None, None)
    assert (pooled_auc([([1.0], [1.0, 1.0])]), rank_p([([1.0], [1.0, 1.0])])) == (0.5, None)


def test_chance_over_a_thousand_tasks_is_no_contrast() -> None:
    rng = np.random.default_rng(3)
    strata: list[Stratum] = [
        (rng.integers(20, size=4).tolist(), rng.integers(20, size=4).tolist()) for _ in range(1000)
    ]
    assert (rank_p(strata) or 0.0) > 0.01
