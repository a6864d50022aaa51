from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blade.stats.multiple import benjamini_hochberg, holm

chances = st.lists(st.floats(0, 1), min_size=1, max_size=30)


def test_benjamini_and_hochberg_give_the_published_list() -> None:
    p = [0.001, 0.008, 0.039, 0.041, 0.042, 0.06, 0.074, 0.205, 0.212, 0.216]
    published = [0.01, 0.04, 0.084, 0.084, 0.084, 0.1, 0.1057, 0.216, 0.216, 0.216]
    assert benjamini_hochberg(p) == pytest.approx(published, abs=5e-5)


def test_holm_by_hand() -> None:
    assert holm([0.04, 0.01, 0.03]) == pytest.approx([0.06, 0.03, 0.06])
    assert holm([0.5, 0.9]) == [1.0, 1.0]


@pytest.mark.slow
def test_both_agree_with_statsmodels() -> None:
    theirs = pytest.importorskip("statsmodels.stats.multitest").multipletests
    generator = np.random.default_rng(0)
    for size in (1, 2, 7, 40):
        p = np.round(generator.random(size) ** 4, 2).tolist()  # small ones, and ties
        assert holm(p) == pytest.approx(theirs(p, method="holm")[1], abs=1e-12)
        assert benjamini_hochberg(p) == pytest.approx(theirs(p, method="fdr_bh")[1], abs=1e-12)


@given(chances)
def test_order_does_not_matter(p: list[float]) -> None:
    for adjust in (holm, benjamini_hochberg):
        assert dict(zip(p, adjust(p), strict=True)) == dict(zip(p[::-1], adjust(p[::-1]), strict=True))


@given(chances)
def test_adjusted_values_are_never_smaller(p: list[float]) -> None:
    for adjust in (holm, benjamini_hochberg):
        assert all(before <= after * (1 + 1e-12) <= 1 + 1e-12 for before, after in zip(p, adjust(p), strict=True))


def test_none_in_none_out() -> None:
    assert holm([]) == []
    assert benjamini_hochberg([]) == []


@pytest.mark.parametrize("wrong", [-0.1, 1.1, float("nan")])
def test_what_is_no_chance_is_refused(wrong: float) -> None:
    for adjust in (holm, benjamini_hochberg):
        with pytest.raises(ValueError):
            adjust([0.5, wrong])
