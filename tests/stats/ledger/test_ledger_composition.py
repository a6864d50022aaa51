from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from tests.stats.ledger.letters import points, run

from blade.stats.ledger import Settings, decompose
from blade.stats.ledger.intervals import hull, task_error, task_interval, task_p


def test_without_a_manifest_a_lost_task_is_composition() -> None:
    base = {f"t{i}": "11ww" for i in range(8)}
    found = decompose(run({**base, "easy": "1111"}), run(base))
    part = found.parts[0]
    assert (part.cause, part.sub, part.tasks, part.rollouts) == ("composition", "removed", ("easy",), 4)
    assert part.points == pytest.approx(-0.5 / 9)
    assert (part.status, part.named) == ("identified", True)
    assert part.interval is not None
    assert part.interval[0] < part.points < part.interval[1]


def test_tasks_missing_from_either_run_are_one_part() -> None:
    common = {f"t{i}": "11ww" for i in range(8)}
    every = frozenset({*common, "x", "y"})
    found = decompose(run({**common, "x": "1111"}, every), run({**common, "y": "wwww"}, every))
    assert points(found) == pytest.approx({"coverage:task_missing": -1 / 9})


def test_no_common_task_leaves_nothing_but_composition() -> None:
    found = decompose(run({"a": "11", "b": "1w"}), run({"c": "ww"}))
    assert found.delta == pytest.approx(-0.75)
    assert points(found) == pytest.approx({"composition:removed": -0.375, "composition:added": -0.375})
    assert {p.status for p in found.parts} == {"not_identified"}
    assert not any(p.named for p in found.parts)
    assert (found.common, found.delta_common) == (0, None)


def test_few_common_tasks_identify_nothing_inside_them() -> None:
    common = {f"t{i}": "11ww" for i in range(4)}
    found = decompose(run({**common, "x": "1111"}), run(dict.fromkeys(common, "wwwI")), Settings(behaviour_p=1e-9))
    status = {p.cause: p.status for p in found.parts}
    assert status == {"composition": "bounds", "infrastructure": "not_identified", "behaviour": "not_identified"}
    assert not any(p.named for p in found.parts)
    part = next(p for p in found.parts if p.cause == "composition")
    assert part.bounds == pytest.approx((-0.2, 0.0))  # the common tasks may lie anywhere


def test_common_tasks_of_little_weight_identify_nothing_either() -> None:
    base = {f"t{i}": "11ww" for i in range(30)}
    found = decompose(run(base), run(dict.fromkeys(list(base)[:6], "1www")))
    assert found.common_shares == pytest.approx((0.2, 1.0))
    assert found.behaviour is not None
    assert found.behaviour.status == "not_identified"


def test_the_interval_inside_tasks_is_that_of_t() -> None:
    values = np.array([0.1, -0.2, 0.05, 0.0]) / 4
    assert task_error(values) == pytest.approx(np.std(values * 4, ddof=1) / 2)
    interval = task_interval(values)
    assert interval is not None
    assert interval[1] - interval[0] == pytest.approx(2 * 3.182446 * np.std(values * 4, ddof=1) / 2, rel=1e-6)
    assert task_p(values) == pytest.approx(float(stats.ttest_1samp(values, 0.0).pvalue))


def test_one_task_has_no_interval() -> None:
    assert task_interval(np.array([0.5])) is None
    assert task_p(np.array([0.5])) is None
    assert hull((0.0, 1.0), None) is None


def test_tasks_that_all_agree_are_as_sure_as_their_number() -> None:
    assert task_p(np.full(3, 0.1)) == 0.25
    assert task_p(np.full(10, -0.1)) == 2 / 2**10
    assert task_p(np.zeros(3)) == 1
    few, many = task_interval(np.full(3, -0.1)), task_interval(np.full(300, -0.001))
    assert few == pytest.approx((-0.3 - 0.7 * 0.6316, -0.3 + 1.3 * 0.6316), abs=1e-4)
    assert many == pytest.approx((-0.307, -0.287), abs=1e-3)
    assert task_interval(np.zeros(3)) == (0, 0)  # what touches no task is no part


def test_the_resampled_interval_of_a_swap_is_as_wide_as_its_theory() -> None:
    rng = np.random.default_rng(5)
    base = {f"t{i}": "".join(rng.choice(["1", "w"], 4)) for i in range(200)}
    candidate = {t: letters for t, letters in base.items() if int(t[1:]) >= 60}
    found = decompose(run(base), run(candidate))
    part = next(p for p in found.parts if p.cause == "composition")
    means = np.array([letters.count("1") / 4 for letters in base.values()])
    theory = np.hypot(np.std(means[:60]) * 0.3 / np.sqrt(60), np.std(means[60:]) * 0.3 / np.sqrt(140))
    assert part.interval is not None
    assert (part.interval[1] - part.interval[0]) / 2 == pytest.approx(1.97 * theory, rel=0.15)
