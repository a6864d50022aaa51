from __future__ import annotations

import math
import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import StratifiedTable  # type: ignore[import-untyped]
from tests.examples import examples

from blade.stats.strata import Table, cmh, exact_p, exact_p_either_way, odds_ratio, risk_difference

MIXED: list[Table] = [(2, 0, 1, 2), (3, 1, 0, 1), (1, 1, 1, 2), (2, 1, 1, 1)]
SEPARATED: list[Table] = [(2, 0, 1, 2), (3, 1, 0, 1), (1, 0, 1, 3), (2, 1, 0, 2)]

cells = st.integers(0, 4)
many_tables = st.lists(st.tuples(cells, cells, cells, cells), max_size=8)


def test_the_law_of_a_large_table_is_that_of_its_binomials() -> None:
    with_it, without, passes = 300, 500, 260
    subsets = math.comb(with_it + without, passes)
    law = [Fraction(math.comb(with_it, k) * math.comb(without, passes - k), subsets) for k in range(passes + 1)]
    for a in (40, 85, 130):
        told = sum(chance for chance in law if chance <= law[a])
        assert exact_p([(a, with_it - a, passes - a, without - passes + a)]) == pytest.approx(float(told), rel=1e-9)


def test_tables_that_lean_opposite_ways_cancel_only_where_they_are_added_up() -> None:
    opposite: list[Table] = [(3, 0, 0, 9), (0, 3, 9, 0)]
    assert exact_p(opposite) == pytest.approx(1.0)
    assert exact_p_either_way(opposite) == pytest.approx(1 / math.comb(12, 3) ** 2)
    assert exact_p_either_way([(3, 0, 0, 9)]) == pytest.approx(1 / math.comb(12, 3))
    assert exact_p_either_way([(3, 0, 9, 0)]) is None


def test_tables_of_chance_are_called_rare_no_more_often_than_they_are() -> None:
    dice = random.Random(7)
    small = 0
    for _ in range(400):
        tables: list[Table] = []
        for _ in range(6):
            inside = [dice.random() < 0.4 for _ in range(3)]
            outside = [dice.random() < 0.4 for _ in range(8)]
            tables.append((sum(inside), 3 - sum(inside), sum(outside), 8 - sum(outside)))
        p = exact_p_either_way(tables)
        small += p is not None and p < 0.05
    assert 2 <= small <= 30  # 20 are expected at most


def test_known_tables_have_their_published_tests() -> None:
    found, odds = cmh(MIXED), odds_ratio(MIXED)
    assert found is not None
    assert found.statistic == pytest.approx(1.280303, abs=1e-6)
    assert found.p == pytest.approx(0.257843, abs=1e-6)
    assert not found.applicable  # 4.8 fails are expected with the feature
    assert odds is not None
    assert odds.value == pytest.approx(5.5)
    assert odds.interval is not None
    assert odds.interval[0] == pytest.approx(0.677, abs=5e-4)
    assert odds.interval[1] == pytest.approx(44.7, abs=0.05)
    assert risk_difference(MIXED) == pytest.approx(0.409091, abs=1e-6)
    assert exact_p(MIXED) == pytest.approx(0.1876, abs=1e-6)


def test_separated_tables_have_their_published_tests() -> None:
    corrected, plain, odds = cmh(SEPARATED), cmh(SEPARATED, correction=False), odds_ratio(SEPARATED)
    assert corrected is not None
    assert plain is not None
    assert odds is not None
    assert corrected.statistic == pytest.approx(4.408333, abs=1e-6)
    assert corrected.p == pytest.approx(0.035764, abs=1e-6)
    assert plain.p == pytest.approx(0.010587, abs=1e-6)
    assert (odds.value, odds.interval) == (math.inf, None)
    assert risk_difference(SEPARATED) == pytest.approx(0.7, abs=1e-12)
    assert exact_p(SEPARATED) == pytest.approx(0.0180, abs=1e-6)


def test_pooling_tasks_would_turn_the_answer_around() -> None:
    tables: list[Table] = [(8, 1, 1, 0), (0, 1, 2, 7)]
    a, b, c, d = (sum(table[k] for table in tables) for k in range(4))
    assert (a / (a + b), c / (c + d)) == (0.8, 0.3)
    assert risk_difference(tables) == pytest.approx(-0.1667, abs=5e-5)


def test_statsmodels_agrees() -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        tables: list[Table] = [(a, b, c, d) for a, b, c, d in rng.integers(1, 9, size=(6, 4)).tolist()]
        theirs = StratifiedTable([np.array(table).reshape(2, 2) for table in tables])
        mine, odds = cmh(tables), odds_ratio(tables)
        assert mine is not None
        assert odds is not None
        assert odds.value == pytest.approx(theirs.oddsratio_pooled)
        assert odds.interval == pytest.approx(theirs.oddsratio_pooled_confint())
        plain = cmh(tables, correction=False)
        assert plain is not None
        assert plain.statistic == pytest.approx(theirs.test_null_odds().statistic)
        if mine.statistic > 0:
            assert mine.p == pytest.approx(theirs.test_null_odds(correction=True).pvalue)


def test_one_table_is_fishers_test() -> None:
    assert exact_p([(5, 0, 0, 5)]) == pytest.approx(2 / 252)
    assert exact_p([(3, 1, 1, 3)]) == pytest.approx(34 / 70)


def test_equal_tables_are_convolved_as_any_others() -> None:
    one_by_one = np.ones(1)
    for _ in range(11):
        one_by_one = np.convolve(one_by_one, [0.3, 0.6, 0.1])  # a of (1, 1, 2, 1): 0, 1 or 2 of the 3 passes
    law = np.array([math.comb(2, k) * math.comb(3, 3 - k) / 10 for k in range(3)])
    assert law == pytest.approx([0.1, 0.6, 0.3])
    one_by_one = one_by_one[::-1]
    seen = one_by_one[11]
    expected = one_by_one[one_by_one <= seen * (1 + 1e-7)].sum()
    assert exact_p([(1, 1, 2, 1)] * 11) == pytest.approx(expected)


def test_tables_that_say_nothing_change_nothing() -> None:
    silent: list[Table] = [(3, 0, 2, 0), (0, 2, 0, 4), (2, 3, 0, 0), (0, 0, 1, 4), (0, 0, 0, 0)]
    assert exact_p(MIXED + silent) == exact_p(MIXED)
    assert cmh(MIXED + silent) == cmh(MIXED)
    assert (exact_p(silent), cmh(silent), odds_ratio(silent)) == (None, None, None)
    assert (exact_p([]), cmh([]), odds_ratio([]), risk_difference([])) == (None, None, None, None)
    assert risk_difference(silent[2:]) is None


@given(many_tables, st.randoms(use_true_random=False))
def test_the_order_of_tasks_does_not_matter(tables: list[Table], rng: random.Random) -> None:
    shuffled = rng.sample(tables, len(tables))
    for test in (exact_p, cmh, odds_ratio, risk_difference):
        assert test(tables) == test(shuffled)


@given(many_tables)
def test_the_absence_of_a_feature_is_its_mirror_image(tables: list[Table]) -> None:
    mirrored: list[Table] = [(c, d, a, b) for a, b, c, d in tables]
    one, other = risk_difference(tables), risk_difference(mirrored)
    assert one is other is None or one == pytest.approx(-(other or 0.0), abs=1e-12)
    p, mirrored_p = exact_p(tables), exact_p(mirrored)
    assert p is mirrored_p is None or p == pytest.approx(mirrored_p, abs=1e-12)


@examples(50)
@given(st.lists(st.tuples(cells, cells, cells, cells), min_size=1, max_size=3))
def test_p_is_the_chance_of_what_is_no_more_likely(tables: list[Table]) -> None:
    laws: dict[int, float] = {0: 1.0}
    for a, b, c, d in tables:
        passes, ways = a + c, math.comb(a + b + c + d, a + c)
        law = {k: math.comb(a + b, k) * math.comb(c + d, passes - k) / ways for k in range(passes + 1)}
        laws = {
            total: sum(chance * law.get(total - before, 0.0) for before, chance in laws.items()) for total in range(40)
        }
    seen = laws[sum(table[0] for table in tables)]
    expected = sum(chance for chance in laws.values() if chance <= seen * (1 + 1e-7))
    found = exact_p(tables)
    assert (1.0 if found is None else found) == pytest.approx(expected)


def test_very_many_tasks_take_the_normal_law() -> None:
    rng = np.random.default_rng(2)
    tables: list[Table] = [(a, b, c, d) for a, b, c, d in rng.integers(0, 5, size=(3000, 4)).tolist()]
    exact, normal = exact_p(tables), cmh(tables)
    assert normal is not None
    assert exact == pytest.approx(normal.p, abs=0.005)
    assert exact_p(tables * 10) == pytest.approx((cmh(tables * 10) or normal).p)
