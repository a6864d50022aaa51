"""Rewards on another scale are found exactly or not at all."""

from __future__ import annotations

import pytest

from blade.change.score_corrections import find_rescale


@pytest.mark.parametrize(
    ("base", "candidate", "side", "at_top"),
    [
        ([0, 1, 1], [0, 100, 0], "candidate", (100, 1)),
        ([0, 100], [0, 1, 1], "base", (100, 1)),
        ([0, 1], [-1, 1], "candidate", (-1, 0)),
        ([0, 0.25, 0.5, 1], [0, 25, 50, 100], "candidate", (50, 0.5)),
        ([0, 1, 2], [10, 20, 30], "candidate", (20, 1)),
        ([0, 0.25, 0.5, 1], [0, 50, 100], "candidate", (50, 0.5)),
        ([0, 0.5, 1], [-1, 0, 0.5, 1], "candidate", (-1, 0)),
    ],
)
def test_supports_that_are_images_of_each_other(
    base: list[float], candidate: list[float], side: str, at_top: tuple[float, float]
) -> None:
    found = find_rescale(base, candidate, [])
    assert found is not None
    assert found.side == side
    assert found(at_top[0]) == pytest.approx(at_top[1])
    turned = find_rescale(candidate, base, [])
    assert turned is not None
    assert (turned.slope, turned.intercept) == (found.slope, found.intercept)
    assert turned.side != found.side


@pytest.mark.parametrize(
    ("base", "candidate"),
    [
        ([0, 1], [0, 1]),
        ([0, 1], [0, 0.5]),
        ([0, 0.5, 1], [0, 1]),
        ([0, 1, 3], [10, 20, 31]),
        ([1, 1], [100, 100]),
        ([], [1.0]),
        ([0.1, 0.2, 0.35], [0.1, 0.25, 0.3]),
    ],
)
def test_supports_that_only_look_alike(base: list[float], candidate: list[float]) -> None:
    assert find_rescale(base, candidate, []) is None


def test_shared_outputs_tell_a_map_over_three_values() -> None:
    shared = [(0.1, 0.05), (0.4, 0.2), (0.9, 0.45)]
    found = find_rescale([0.1, 0.4, 0.9], [0.05, 0.2, 0.45], shared)
    assert found is not None
    assert found(0.3) == pytest.approx(0.6)
    assert find_rescale([0.1, 0.4], [0.05, 0.2], shared[:2]) is None


def test_a_good_fit_is_not_enough() -> None:
    shared = [(0.1, 0.05), (0.4, 0.2), (0.9, 0.45001)]
    assert find_rescale([0.1, 0.4, 0.9], [0.05, 0.2, 0.45001], shared) is None
