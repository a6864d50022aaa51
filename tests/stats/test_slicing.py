from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pytest

from blade.stats.predicates import predicates
from blade.stats.slice_candidates import as_integers, candidates, null, statistics
from blade.stats.slicing import SliceSearch, find_slices, slice_stats

if TYPE_CHECKING:
    from blade.stats.predicates import Value

Floats = npt.NDArray[np.float64]


def planted(
    kind: str, seed: int, tasks: int = 300, repeats: int = 5
) -> tuple[list[float], list[dict[str, Value]], Floats]:
    """Changes of tasks between two runs, their metadata, and which of them truly fell."""
    rng = np.random.default_rng(seed)
    domain, language, level = rng.integers(8, size=tasks), rng.integers(4, size=tasks), rng.integers(3, size=tasks)
    length, tags = rng.gamma(2, 100, size=tasks), rng.random((tasks, 8)) < 0.25
    before = rng.beta(0.5, 0.8, size=tasks)
    hit = {"domain": domain == 3, "pair": (language == 1) & (level == 2), "none": domain < 0}[kind]
    after = np.where(hit, before * (0.35 if kind == "domain" else 0.1), before)
    changes = (rng.binomial(repeats, after) - rng.binomial(repeats, before)) / repeats
    metadata: list[dict[str, Value]] = [
        {
            "domain": f"d{domain[t]}",
            "language": f"l{language[t]}",
            "level": f"{level[t]}",
            "length": float(length[t]),
            "tags": [f"t{k}" for k in range(8) if tags[t, k]],
        }
        for t in range(tasks)
    ]
    return changes.tolist(), metadata, hit


def jaccard(found: SliceSearch, hit: Floats) -> float:
    """Of the first slice named."""
    inside = np.isin(np.arange(len(hit)), found.named[0].members if found.named else ())
    return float((inside & (hit > 0)).sum() / (inside | (hit > 0)).sum())


def test_one_slice_has_its_published_statistics() -> None:
    values = [-0.5, -0.25, -0.5, 0, 0, 0.25, 0, -0.25, 0, 0]
    found = slice_stats(values, [True] * 3 + [False] * 7)
    assert found is not None
    assert found.inside == pytest.approx(-0.416667, abs=1e-6)
    assert found.outside == pytest.approx(0, abs=1e-12)
    assert found.total == pytest.approx(-0.125, abs=1e-12)
    assert found.excess == pytest.approx(-0.0875, abs=1e-12)
    assert found.t == pytest.approx(-4.1833, abs=5e-5)
    assert found.df == pytest.approx(3.846, abs=5e-4)
    assert found.p == pytest.approx(0.015064, abs=1e-6)
    assert found.share is None  # -.125 is less than two standard errors


def test_a_slice_of_a_clear_change_has_a_share_of_it() -> None:
    values = [-0.4, -0.5, -0.6, -0.5, -0.1, -0.2, -0.1, -0.2]
    found = slice_stats(values, [True] * 4 + [False] * 4)
    assert found is not None
    assert found.share == pytest.approx(2.0 / 2.6)


def test_sides_that_do_not_vary_have_no_t() -> None:
    found = slice_stats([-1.0] * 3 + [0.0] * 5, [True] * 3 + [False] * 5)
    assert found is not None
    assert (found.t, found.p, found.inside, found.outside) == (None, None, -1.0, 0.0)
    assert slice_stats([1.0, 2.0, 3.0], [True, False, False]) is None
    assert slice_stats([], []) is None


def students(values: np.ndarray, mask: np.ndarray) -> float:
    """Student's t of a slice against the rest, squared."""
    sides = [values[side].astype(np.float64) for side in (mask, ~mask)]
    pooled = sum(((side - side.mean()) ** 2).sum() for side in sides) / (len(values) - 2)
    return float((sides[0].mean() - sides[1].mean()) ** 2 / pooled / sum(1 / len(side) for side in sides))


def test_a_clear_slice_stands_out_among_small_ones_whose_tasks_do_not_change() -> None:
    """Two runs agree on most tasks: many small slices do not vary at all, which is no reason to doubt a large one."""
    rng = np.random.default_rng(2)
    changed = [-float(rng.random() < (0.21 if task % 2 else 0.02)) for task in range(600)]
    metadata: list[dict[str, Value]] = [
        {"half": "odd" if task % 2 else "even", **{f"f{k}": f"{rng.integers(30)}" for k in range(6)}}
        for task in range(600)
    ]
    found = find_slices(changed, metadata, permutations=200)
    assert {one.where for one in found.named} & {("half=odd",), ("half=even",)}
    assert found.named[0].p_adjusted < 0.01


def test_the_statistics_of_all_candidates_are_those_of_each_alone() -> None:
    values, metadata, _ = planted("pair", 1)
    cut = candidates(predicates(metadata))
    x = as_integers(np.array(values))
    all_at_once = statistics(cut, x)
    assert len(cut.first) > 100
    for candidate in range(0, len(cut.first), 7):
        alone = slice_stats(x.tolist(), cut.mask(candidate).tolist())
        assert alone is not None
        assert alone.t is not None
        assert cut.support[candidate] == alone.tasks
        assert all_at_once.t2[candidate] == pytest.approx(min(alone.t**2, students(x, cut.mask(candidate))), rel=1e-9)
        assert all_at_once.shift[candidate] == pytest.approx(alone.excess * len(x) ** 2, rel=1e-9, abs=1e-6)


def test_pairs_are_large_enough_and_smaller_than_their_parents() -> None:
    _, metadata, _ = planted("pair", 2)
    found = predicates(metadata)
    cut = candidates(found)
    for first, second, support in zip(cut.first, cut.second, cut.support, strict=True):
        sizes = found.members[:, [first, second]].sum(axis=0)
        assert support >= 10
        assert first == second or support <= 0.95 * sizes.min()
    assert len({frozenset(pair) for pair in zip(cut.first.tolist(), cut.second.tolist(), strict=True)}) == len(
        cut.first
    )


def test_with_very_many_predicates_only_the_most_even_ones_are_paired() -> None:
    levels = np.random.default_rng(0).integers(5, size=(300, 60))
    cut = candidates(predicates([{f"f{k}": f"{level}" for k, level in enumerate(task)} for task in levels]))
    pairs = cut.first != cut.second
    assert (~pairs).sum() == 300
    paired = np.union1d(cut.first[pairs], cut.second[pairs])
    assert len(paired) <= 200
    support = cut.support[:300]
    assert support[paired].min() >= np.sort(support)[::-1][199]


def test_values_of_any_scale_keep_their_differences_on_the_lattice() -> None:
    rng = np.random.default_rng(0)
    for values in (rng.normal(size=500), 1e6 + rng.normal(size=500), rng.standard_t(2, size=500)):
        assert np.corrcoef(values, as_integers(values))[0, 1] > 0.999
    assert not as_integers(np.full(30, 0.1) * 3).any()


def test_chance_is_counted_by_permutation() -> None:
    values, metadata, _ = planted("none", 3, tasks=60)
    cut = candidates(predicates(metadata))
    x = as_integers(np.array(values))
    found = statistics(cut, x)
    chance = null(cut, x, found.t2, 203, seed=5)
    assert len(chance.largest) == 203
    assert (np.diff(chance.largest) >= 0).all()
    assert chance.adjusted(np.array([0.0, np.inf])).tolist() == [1.0, 1 / 204]
    assert (chance.adjusted(found.t2) >= chance.marginal()).all()


def test_a_planted_domain_is_named() -> None:
    values, metadata, hit = planted("domain", 7)
    found = find_slices(values, metadata, seed=1)
    assert found.named[0].where == ("domain=d3",)
    assert found.named[0].named
    assert found.named[0].p_adjusted <= 0.05
    assert found.named[0].stats.excess < 0
    assert found.named[0].excess_left == pytest.approx(found.named[0].stats.excess)
    assert jaccard(found, hit) == 1.0


def test_two_planted_slices_are_named_one_after_the_other() -> None:
    rng = np.random.default_rng(4)
    a, b = rng.integers(5, size=400), rng.integers(5, size=400)
    values = rng.normal(0, 0.2, size=400) - 0.5 * (a == 1) + 0.4 * (b == 2)
    found = find_slices(values.tolist(), [{"a": f"{x}", "b": f"{y}"} for x, y in zip(a, b, strict=True)])
    assert [one.where for one in found.named] == [("a=1",), ("b=2",)]
    assert [one.stats.excess > 0 for one in found.named] == [False, True]


def test_evening_out_does_not_make_a_slice_of_the_opposite_sign() -> None:
    rng = np.random.default_rng(5)
    a = rng.integers(4, size=400)
    values = -0.4 + rng.normal(0, 0.1, size=400) - 0.3 * (a == 1)  # everything fell, one level more
    found = find_slices(values.tolist(), [{"a": f"{level}"} for level in a])
    assert [one.where for one in found.named] == [("a=1",)]
    assert found.suggested == ()


def test_a_pair_that_adds_nothing_gives_way_to_its_parent() -> None:
    rng = np.random.default_rng(6)
    a, b = rng.integers(4, size=600), rng.integers(2, size=600)
    values = rng.normal(0, 0.2, size=600) - 0.5 * (a == 1)
    found = find_slices(values.tolist(), [{"a": f"{x}", "b": f"{y}"} for x, y in zip(a, b, strict=True)])
    assert [one.where for one in found.named] == [("a=1",)]


def test_two_fields_that_say_the_same_are_one_slice() -> None:
    rng = np.random.default_rng(8)
    a = rng.integers(4, size=300)
    values = rng.normal(0, 0.2, size=300) - 0.5 * (a == 1)
    found = find_slices(values.tolist(), [{"copy": f"{x}", "field": f"{x}"} for x in a])
    assert [one.where for one in found.named] == [("copy=1",)]


def test_at_most_five_slices_are_named() -> None:
    rng = np.random.default_rng(9)
    a = rng.integers(12, size=600)
    values = rng.normal(0, 0.05, size=600) + (a % 8) * 0.3
    found = find_slices(values.tolist(), [{"a": f"{x:02}"} for x in a], permutations=200)
    assert len(found.named) == 5
    assert len(found.suggested) <= 5


def test_a_change_of_sign_changes_signs_only() -> None:
    for kind, seed in (("domain", 7), ("pair", 3), ("none", 2)):
        values, metadata, _ = planted(kind, seed)
        up, down = (find_slices(x, metadata, seed=3, permutations=300) for x in (values, [-x for x in values]))
        assert len(up.named) == len(down.named)
        for one, other in zip((*up.named, *up.suggested), (*down.named, *down.suggested), strict=True):
            assert (one.where, one.members, one.p_adjusted, one.q) == (
                other.where,
                other.members,
                other.p_adjusted,
                other.q,
            )
            assert one.stats.excess == -other.stats.excess
            assert one.excess_left == -other.excess_left
            assert one.stats.p == other.stats.p


def test_values_as_often_up_as_down_are_dealt_alike_too() -> None:
    metadata = [{"f": f"{task % 3}"} for task in range(60)]
    cut = candidates(predicates(metadata))
    x = as_integers(np.array([1.0, -1.0, 0.5, -0.5, 0.0, 0.0] * 10))
    found = statistics(cut, x)
    one, other = (null(cut, side, found.t2, 99, seed=1) for side in (x, -x))
    assert (one.largest == other.largest).all()
    assert (one.reached == other.reached).all()


def test_the_order_of_tasks_does_not_matter() -> None:
    values, metadata, _ = planted("domain", 7)
    order = np.random.default_rng(1).permutation(len(values)).tolist()
    plain = find_slices(values, metadata, permutations=300)
    turned = find_slices(
        [values[k] for k in order], [dict(reversed(metadata[k].items())) for k in order], permutations=300
    )
    for one, other in zip(plain.named, turned.named, strict=True):
        assert (one.where, one.p_adjusted, one.stats, one.excess_left) == (
            other.where,
            other.p_adjusted,
            other.stats,
            other.excess_left,
        )
        assert set(one.members) == {order[k] for k in other.members}


def test_a_search_repeats_itself() -> None:
    values, metadata, _ = planted("pair", 3)
    assert find_slices(values, metadata, seed=5) == find_slices(values, metadata, seed=5)


def test_where_nothing_differs_nothing_is_found() -> None:
    nothing = SliceSearch((), (), 0, 0)
    assert find_slices([], []) == nothing
    assert find_slices([0.5] * 12, [{"f": "a"}] * 12) == nothing
    assert find_slices([0.5, 0.1] * 50, [{"f": "a"}] * 100) == nothing
    equal = find_slices([0.1] * 100, [{"f": f"{task % 2}"} for task in range(100)])
    assert (equal.named, equal.suggested, equal.predicates) == ((), (), 2)


def test_a_difference_without_any_noise_is_named_once() -> None:
    values = [-1.0] * 30 + [0.0] * 70
    found = find_slices(values, [{"f": "a" if value else "b"} for value in values])
    assert [one.where for one in found.named] == [("f=a",)]
    assert found.named[0].stats.t is None


def test_lengths_must_agree_and_values_be_finite() -> None:
    with pytest.raises(ValueError):
        find_slices([0.1], [])
    with pytest.raises(ValueError):
        find_slices([float("nan")], [{}])


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "published", "tolerance"), [("domain", 0.9, 0.1), ("pair", 0.65, 0.25)])
def test_planted_slices_are_recovered_as_often_as_published(kind: str, published: float, tolerance: float) -> None:
    searches = []
    for seed in range(30):
        values, metadata, hit = planted(kind, seed)
        searches.append(jaccard(find_slices(values, metadata, seed=seed, permutations=120), hit) >= 0.6)
    assert np.mean(searches) == pytest.approx(published, abs=tolerance)


def test_runs_that_do_not_differ_raise_few_false_alarms() -> None:
    alarms = 0
    for seed in range(60):
        values, metadata, _ = planted("none", 1000 + seed, tasks=120)
        alarms += bool(find_slices(values, metadata, seed=seed, permutations=100).named)
    assert alarms <= 9  # 3 expected; more than 9 has a chance of 0.001


def test_of_twenty_thousand_slices_of_noise_none_is_named() -> None:
    rng = np.random.default_rng(0)
    levels = rng.integers(5, size=(1000, 40))
    metadata: list[dict[str, Value]] = [{f"f{k}": f"{level}" for k, level in enumerate(task)} for task in levels]
    values = (rng.binomial(5, 0.4, size=1000) - rng.binomial(5, 0.4, size=1000)) / 5
    found = find_slices(values.tolist(), metadata, permutations=400)
    assert found.predicates == 200
    assert found.candidates > 19_000
    assert found.named == ()
