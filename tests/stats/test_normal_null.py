"""With very many tasks the normal law says what dealing the values out says."""

from __future__ import annotations

import numpy as np
import pytest

from blade.stats.normal_null import normal_null
from blade.stats.predicates import Value, predicates
from blade.stats.slice_candidates import as_integers, candidates, null, statistics
from blade.stats.slicing import find_slices


def some_values(rng: np.random.Generator, count: int) -> np.ndarray:
    return rng.choice([-1.0, 0.0, 0.5, 1.0], count, p=[0.1, 0.6, 0.1, 0.2])


def some_tasks(count: int, seed: int) -> tuple[np.ndarray, list[dict[str, Value]]]:
    rng = np.random.default_rng(seed)
    values = some_values(rng, count)
    levels = [rng.integers(0, 2 + field, count) for field in range(6)]
    return values, [{f"f{field}": f"v{level[task]}" for field, level in enumerate(levels)} for task in range(count)]


@pytest.mark.slow
def test_the_largest_t_follows_the_same_law() -> None:
    values, metadata = some_tasks(4000, 3)
    cut = candidates(predicates(metadata))
    x = as_integers(values)
    found = statistics(cut, x)
    dealt, drawn = (
        null(cut, x, found.t2, 2000, 1),
        normal_null(cut, found.t2, 2000, 1),
    )
    for share in (0.5, 0.9, 0.95):
        assert np.quantile(drawn.largest, share) == pytest.approx(np.quantile(dealt.largest, share), rel=0.06)
    assert np.abs(dealt.marginal() - drawn.marginal()).max() < 0.06


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_planted_slice_is_named_and_no_other(monkeypatch: pytest.MonkeyPatch, sign: float) -> None:
    monkeypatch.setattr("blade.stats.normal_null.MANY", 1000)
    values, metadata = some_tasks(3000, 5)
    inside = np.array([one["f1"] == "v2" for one in metadata])
    found = find_slices((sign * (values + 0.4 * inside)).tolist(), metadata, permutations=400)
    assert [one.where for one in found.named] == [("f1=v2",)]


@pytest.mark.parametrize(
    ("runs", "tasks", "most"), [(30, 1200, 6), pytest.param(150, 6000, 16, marks=pytest.mark.slow)]
)
def test_chance_alone_names_nothing_in_most_runs(
    monkeypatch: pytest.MonkeyPatch, runs: int, tasks: int, most: int
) -> None:
    """One in twenty is due; `most` is what is passed once in a thousand times. The law holds for any fields of tasks.

    So the tasks stay, their slices are worked out once, and many runs are dealt out to them.
    """
    monkeypatch.setattr("blade.stats.normal_null.MANY", 1000)
    _, metadata = some_tasks(tasks, 100)
    known = predicates(metadata)
    slices = candidates(known)
    monkeypatch.setattr("blade.stats.slicing.predicates", lambda _: known)
    monkeypatch.setattr("blade.stats.slicing.candidates", lambda _: slices)
    named = 0
    for seed in range(runs):
        values = some_values(np.random.default_rng(1000 + seed), tasks)
        named += bool(find_slices(values.tolist(), metadata, permutations=200, seed=seed).named)
    assert named <= most
