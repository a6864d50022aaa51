from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from blade.stats.contrast import Contrasts, FeatureContrast, bootstrap_ratio, contrast, strata, tables


def rows(seed: int, tasks: int = 40, repeats: int = 6, effect: float = 0.0) -> dict[str, list[bool]]:
    """Rows of tasks of all difficulties, of which a feature raises the pass rate."""
    rng = np.random.default_rng(seed)
    rate = rng.uniform(0.1, 0.7, size=(tasks, 1))
    has = rng.random((tasks, repeats)) < 0.2 + 0.6 * rate  # more frequent in easy tasks: a confounder
    passed = rng.random((tasks, repeats)) < rate + effect * has
    return {"has": has.ravel().tolist(), "passed": passed.ravel().tolist()}


def names(tasks: int = 40, repeats: int = 6) -> list[str]:
    return [f"task {task}" for task in range(tasks) for _ in range(repeats)]


def only(found: Contrasts) -> FeatureContrast:
    assert len(found.features) == 1
    return found.features[0]


def test_rows_become_a_table_per_mixed_task() -> None:
    task = ["a", "a", "a", "b", "b", "c", "c", "c"]
    passed = [True, False, True, True, True, False, True, True]
    assert tables(task, passed, [True, True, False, True, False, None, True, False]) == [(1, 1, 1, 0)]
    assert strata(task, passed, [1, 2, 3, 4, 5, 6, None, float("nan")]) == [([1.0, 3.0], [2.0])]


def test_a_feature_that_helps_inside_tasks_is_named() -> None:
    data = rows(1, effect=0.3)
    found = only(contrast(names(), data["passed"], {"self-check": data["has"]}))
    assert found.kind == "binary"
    assert found.named
    assert found.effect == pytest.approx(0.3, abs=0.15)
    assert found.interval is not None
    assert found.interval[0] < (found.effect or 0) < found.interval[1]
    assert found.interval[0] > 0
    assert found.odds is not None
    assert found.odds.value > 1


def test_a_number_that_is_lower_in_passes_is_named() -> None:
    rng = np.random.default_rng(2)
    data = rows(2)
    steps = [float(rng.integers(5, 25) - 6 * passed) for passed in data["passed"]]
    found = only(contrast(names(), data["passed"], {"steps": steps}))
    assert found.kind == "numeric"
    assert found.named
    assert found.interval is not None
    assert found.interval[0] < (found.effect or 0) < found.interval[1] < 0
    assert found.odds is None


def test_a_feature_of_easy_tasks_is_not_named() -> None:
    data = rows(3, tasks=400)
    has, passed = np.array(data["has"]), np.array(data["passed"])
    found = only(contrast(names(400), data["passed"], {"short": data["has"]}))
    assert passed[has].mean() - passed[~has].mean() > 0.04
    assert not found.named
    assert found.effect == pytest.approx(0, abs=0.04)


def test_random_features_and_the_place_of_a_row_are_rarely_named() -> None:
    named = 0
    for seed in range(25):
        data, rng = rows(100 + seed), np.random.default_rng(seed)
        features = {
            "coin": (rng.random(240) < 0.4).tolist(),
            "number": rng.normal(size=240).tolist(),
            "place": [float(place) for place in range(240)],
        }
        found = contrast(names(), data["passed"], features, seed=seed)
        assert found.tested == 3
        named += any(one.named for one in found.features)
    assert named <= 7  # at most 2.5 expected; more than 7 has a chance of 0.002


def test_p_of_a_feature_without_effect_is_below_a_level_no_more_often_than_that() -> None:
    small = 0
    for seed in range(120):
        data = rows(500 + seed, tasks=20)
        found = only(contrast(names(20), data["passed"], {"x": data["has"]}))
        assert found.p is not None
        small += found.p <= 0.1
    assert small <= 22  # 12 expected; an exact test has fewer


def test_few_tasks_or_rows_are_described_only() -> None:
    data = rows(4, tasks=7, effect=0.3)
    few = only(contrast(names(7), data["passed"], {"x": data["has"]}))
    assert (few.p, few.q, few.named) == (None, None, False)
    assert few.effect is not None
    two_each = [True, False] * 14
    short = contrast(names(14, 2), two_each, {"x": two_each, "n": [float(y) for y in two_each]})
    assert [(one.tasks, one.rows, one.p) for one in short.features] == [(14, 28, None)] * 2
    enough = contrast(names(15, 2), [True, False] * 15, {"x": [True, False] * 15})
    assert only(enough).p == pytest.approx(2 * 0.5**15)


def test_features_are_sorted_and_share_their_false_discovery_rate() -> None:
    data, rng = rows(5, effect=0.35), np.random.default_rng(5)
    coins = {f"coin {k}": (rng.random(240) < 0.5).tolist() for k in range(9)}
    unknown: list[bool | None] = [None] * 240
    found = contrast(names(), data["passed"], {**coins, "real": data["has"], "unknown": unknown})
    assert found.tested == 10
    assert found.features[0].feature == "real"
    assert found.features[0].q == pytest.approx(10 * (found.features[0].p or 0))
    assert found.features[-1].feature == "unknown"
    alone = only(contrast(names(), data["passed"], {"real": data["has"]}))
    assert (alone.p, alone.effect, alone.interval) == (
        found.features[0].p,
        found.features[0].effect,
        found.features[0].interval,
    )


def test_constant_features_and_one_sided_tasks_give_nothing() -> None:
    data = rows(6)
    always = contrast(names(), data["passed"], {"yes": [True] * 240, "ten": [10.0] * 240})
    assert [(one.effect, one.interval, one.p) for one in always.features] == [(None, None, None)] * 2
    passed = contrast(names(), [True] * 240, {"x": data["has"], "n": [float(x) for x in data["has"]]})
    assert [(one.tasks, one.effect, one.p) for one in passed.features] == [(0, None, None)] * 2
    assert contrast([], [], {"x": []}).tested == 0
    assert contrast([], [], {}) == Contrasts((), 0)


def test_the_order_of_rows_does_not_matter() -> None:
    data = rows(7, effect=0.2)
    steps = [float(k % 17) for k in range(240)]
    order = random.Random(1).sample(range(240), 240)
    plain = contrast(names(), data["passed"], {"x": data["has"], "steps": steps})
    turned = contrast(
        [names()[k] for k in order],
        [data["passed"][k] for k in order],
        {"steps": [steps[k] for k in order], "x": [data["has"][k] for k in order]},
    )
    assert plain == turned


def test_the_absence_of_a_feature_has_the_opposite_effect() -> None:
    data = rows(8, effect=0.2)
    one = only(contrast(names(), data["passed"], {"x": data["has"]}))
    other = only(contrast(names(), data["passed"], {"x": [not has for has in data["has"]]}))
    assert other.effect == -(one.effect or 0)
    assert one.interval is not None
    assert other.interval == (-one.interval[1], -one.interval[0])
    assert other.p == pytest.approx(one.p)


def test_the_bootstrap_has_the_spread_of_its_ratio() -> None:
    rng = np.random.default_rng(9)
    parts = [(float(x), 1.0) for x in rng.normal(0.3, 1, size=200)]
    found = bootstrap_ratio(parts, seed=1)
    assert found is not None
    mean, se = np.mean([x for x, _ in parts]), np.std([x for x, _ in parts]) / np.sqrt(200)
    assert found[0] == pytest.approx(mean - 1.96 * se, abs=0.03)
    assert found[1] == pytest.approx(mean + 1.96 * se, abs=0.03)


@examples(30)
@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 3)), max_size=12))
def test_the_bootstrap_follows_a_change_of_sign(parts: list[tuple[int, int]]) -> None:
    plain = bootstrap_ratio([(float(above), float(below)) for above, below in parts])
    mirrored = bootstrap_ratio([(-float(above), float(below)) for above, below in parts])
    if sorted(parts) == sorted((-above, below) for above, below in parts):
        assert plain == mirrored  # as many above as below: nothing to turn around
    elif plain is None or mirrored is None:
        assert plain is mirrored
    else:
        assert mirrored == (-plain[1], -plain[0])
