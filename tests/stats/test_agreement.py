"""Kappa, and what a sample says of the whole."""

from __future__ import annotations

import pytest

from blade.stats.agreement import estimated_total, kappa


def test_kappa_of_the_textbook() -> None:
    pairs = [("y", "y")] * 20 + [("y", "n")] * 5 + [("n", "y")] * 10 + [("n", "n")] * 15
    assert kappa(pairs) == pytest.approx(0.4)


def test_kappa_is_one_for_full_agreement_and_unknown_without_a_choice() -> None:
    assert kappa([("a", "a"), ("b", "b")]) == 1
    assert kappa([("a", "a"), ("a", "a")]) is None
    assert kappa([]) is None
    assert kappa([("a", "b"), ("b", "a")]) == -1


def test_a_whole_that_was_read_needs_no_estimate() -> None:
    assert estimated_total(3, 10, 10) == (3.0, 3, 3)


def test_the_interval_narrows_as_more_is_read_and_keeps_what_is_known() -> None:
    few, most = estimated_total(5, 10, 100), estimated_total(45, 90, 100)
    assert few[0] == most[0] == 50
    assert most[2] - most[1] < few[2] - few[1]
    assert estimated_total(0, 90, 100)[1:] == (0, 1)
    assert estimated_total(89, 90, 100)[1] >= 89
    assert estimated_total(89, 90, 100)[2] <= 99


@pytest.mark.parametrize("sample", [(1, 0, 5), (3, 2, 5), (1, 6, 5)])
def test_what_is_no_sample_is_refused(sample: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match="no sample"):
        estimated_total(*sample)
