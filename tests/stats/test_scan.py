from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from blade.stats.scan import scan_window


def outage(seed: int, rows: int = 600, start: int = 200, end: int = 260, rate: float = 0.6) -> list[int]:
    rng = np.random.default_rng(seed)
    place = np.arange(rows)
    chance = np.where((place >= start) & (place < end), rate, 0.05)
    return [int(flag) for flag in rng.random(rows) < chance]


def log_likelihood(ones: int, rows: int) -> float:
    return sum(many * math.log(many / rows) for many in (ones, rows - ones) if many)


def best_llr(flags: list[int]) -> float:
    """Over all windows of three rows or more."""
    n, ones, best = len(flags), sum(flags), 0.0
    for start in range(n):
        for end in range(start + 3, min(start + n, n + 1)):
            inside = sum(flags[start:end])
            if end - start < n:
                split = log_likelihood(inside, end - start) + log_likelihood(ones - inside, n - end + start)
                best = max(best, split - log_likelihood(ones, n))
    return best


def test_an_outage_is_found_where_it_is() -> None:
    found = scan_window(outage(1))
    assert found is not None
    overlap = min(found.end, 260) - max(found.start, 200)
    assert overlap / (max(found.end, 260) - min(found.start, 200)) > 0.8
    assert found.inside > 0.5
    assert found.outside < 0.1
    assert found.p == pytest.approx(0.001)


@examples(40)
@given(st.lists(st.integers(0, 1), min_size=6, max_size=24))
def test_the_window_is_the_best_of_all(flags: list[int]) -> None:
    found = scan_window(flags, permutations=19)
    if found is None:
        assert len(set(flags)) == 1
        return
    assert found.llr == pytest.approx(best_llr(flags), abs=1e-9)
    inside, outside = flags[found.start : found.end], flags[: found.start] + flags[found.end :]
    assert found.inside == sum(inside) / len(inside)
    assert found.outside == sum(outside) / len(outside)
    assert 0.05 <= found.p <= 1.0


def test_only_the_wanted_side_is_looked_at() -> None:
    flags = outage(2)
    higher, lower = scan_window(flags, side="higher"), scan_window([1 - flag for flag in flags], side="lower")
    wrong = scan_window(flags, side="lower")
    assert higher is not None
    assert lower is not None
    assert wrong is not None
    assert higher.p == lower.p == pytest.approx(0.001)
    assert (higher.start, higher.end) == (lower.start, lower.end)
    assert higher.inside > higher.outside
    assert wrong.inside < wrong.outside
    assert wrong.llr < higher.llr


@examples(25)
@given(st.lists(st.integers(0, 1), min_size=6, max_size=60))
def test_zeros_and_ones_can_be_swapped(flags: list[int]) -> None:
    one, other = (scan_window(row, permutations=99) for row in (flags, [1 - flag for flag in flags]))
    if one is None or other is None:
        assert one is other
    else:
        assert one.llr == pytest.approx(other.llr, abs=1e-9)
        assert one.p == pytest.approx(other.p, abs=0.05)


def test_sequences_that_are_short_or_constant_have_no_window() -> None:
    assert scan_window([]) is None
    assert scan_window([1, 0, 1, 0, 1]) is None
    assert scan_window([1] * 50) is None
    assert scan_window([0] * 50) is None


def test_a_scan_repeats_itself() -> None:
    assert scan_window(outage(3), seed=4) == scan_window(outage(3), seed=4)


@pytest.mark.slow
def test_random_sequences_raise_few_false_alarms() -> None:
    rng, alarms = np.random.default_rng(6), 0
    for seed in range(120):
        flags = (rng.random(150) < 0.15).astype(int).tolist()
        found = scan_window(flags, seed=seed, permutations=99)
        assert found is not None
        alarms += found.p <= 0.05
    assert alarms <= 14  # 6 expected; more than 14 has a chance of 0.001


def test_a_window_is_found_among_sixteen_thousand_rows() -> None:
    flags = outage(7, rows=16_000, start=4000, end=4800, rate=0.3)
    found = scan_window(flags, permutations=199)
    assert found is not None
    assert abs(found.start - 4000) < 100
    assert abs(found.end - 4800) < 100
