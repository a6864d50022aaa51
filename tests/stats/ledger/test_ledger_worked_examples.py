from __future__ import annotations

import pytest
from tests.stats.ledger.letters import BASE, CANDIDATE, points, run

from blade.stats.ledger import Settings, decompose

WORKED = {
    1.0: {"truncation": -0.075, "malformed": -0.029167, "behaviour:wrong_answer": 0.154167},
    0.5: {"truncation": -0.066667, "malformed": -0.019295, "behaviour:wrong_answer": 0.135961},
    0.0: {"truncation": 0.0, "malformed": 0.0, "behaviour:wrong_answer": 0.05},
}
SAME = {
    "composition:removed": -0.075,
    "composition:added": -0.066667,
    "infrastructure": -0.1,
    "behaviour:tool_misuse": -0.1,
}


@pytest.mark.parametrize("weighting", ["macro", "micro"])
@pytest.mark.parametrize("theta", [1.0, 0.5, 0.0])
def test_the_worked_example_comes_apart_as_published(theta: float, weighting: str) -> None:
    settings = Settings("micro" if weighting == "micro" else "macro", theta={"truncation": theta, "malformed": theta})
    found = decompose(run(BASE), run(CANDIDATE), settings)
    assert found.scores == pytest.approx((0.625, 1 / 3), abs=1e-12)
    assert found.delta == pytest.approx(-0.291667, abs=1e-6)
    assert points(found) == pytest.approx({**SAME, **WORKED[theta]}, abs=1e-6)
    assert found.common == 5
    assert found.common_shares == pytest.approx((5 / 6, 5 / 6))


def test_the_worked_example_by_capability_and_reliability() -> None:
    found = decompose(run(BASE), run(CANDIDATE))
    assert (found.capability.gained, found.capability.lost) == pytest.approx((0.05, 0.0))
    assert found.capability.reliability == pytest.approx(-0.2)
    assert found.delta_common == pytest.approx(-0.15)


def test_its_few_common_tasks_name_only_facts() -> None:
    found = decompose(run(BASE), run(CANDIDATE))
    named = {(p.cause, p.sub) for p in found.parts if p.named}
    assert named == {("composition", "removed"), ("composition", "added")}
    assert found.pooled.points == pytest.approx(-0.15)
    assert found.pooled.parts == len(found.parts) - 2
    assert found.pooled.interval is not None
    assert found.pooled.interval[0] < -0.15 < found.pooled.interval[1]


def test_an_expected_task_without_rows_is_coverage() -> None:
    candidate = run({**BASE, "t2": "11w", "t5": "1w", "t6": ""}, expected=frozenset(BASE))
    macro = decompose(run(BASE), candidate)
    assert macro.delta == pytest.approx(-0.041667, abs=1e-6)
    assert points(macro) == pytest.approx(
        {"coverage:task_missing": -0.075, "behaviour:wrong_answer": 0.033333}, abs=1e-6
    )
    micro = decompose(run(BASE), candidate, Settings("micro"))
    assert micro.delta == pytest.approx(-0.036765, abs=1e-6)
    expected = {"coverage:task_missing": -0.075, "weights": 0.006863, "behaviour:wrong_answer": 0.031373}
    assert points(micro) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("theta", [1.0, 0.3, 0.0])
def test_a_task_hit_in_every_row_blames_the_hits_at_any_theta(theta: float) -> None:
    base, candidate = run({"t1": "1111", "t2": "11w1"}), run({"t1": "IIII", "t2": "11w1"})
    found = decompose(base, candidate, Settings(theta={"infrastructure": theta}))
    assert points(found) == pytest.approx({"infrastructure": -0.5})
    assert found.imputed_mass == pytest.approx(0.5)
    assert found.imputed_share == pytest.approx(1.0)


def test_two_runs_hit_in_every_row_have_nothing_to_tell() -> None:
    found = decompose(run({"t1": "IIII", "t2": "TT"}), run({"t1": "IIII", "t2": "MM"}))
    assert found.delta == 0
    assert all(part.points == 0 for part in found.parts)
