"""What a mode costs, checked with a pencil."""

from __future__ import annotations

import pytest
from tests.diagnosis.made_cases import case

from blade.diagnosis.cases import Case
from blade.diagnosis.recovery import Recovery, Rewards


def recovery(cases: list[Case], *, exact: bool) -> Recovery:
    return Rewards(cases).recovery([made for made in cases if made.mode == "m"], exact=exact)


def hit(task: str, attempt: int, reward: float = 0.0) -> Case:
    return case(task, attempt, reward, mode="m")


def test_scored_again_every_hit_rollout_gets_its_point() -> None:
    cases = [hit("t", 0), case("t", 1, 1.0), case("u", 0, 0.0), case("u", 1, 1.0)]
    found = recovery(cases, exact=True)
    assert (found.points, found.exact, found.interval) == (0.25, True, None)


def test_below_eight_tasks_no_points_are_given() -> None:
    found = recovery([hit(f"t{n}", 0) for n in range(7)], exact=False)
    assert (found.points, found.interval, found.tasks, found.extrapolated) == (None, None, 7, 7)
    assert found.most == 1.0


def test_hit_rollouts_take_the_mean_of_their_task_drawn_towards_the_run() -> None:
    cases = [made for n in range(8) for made in (hit(f"t{n}", 0), case(f"t{n}", 1, 1.0))]
    found = recovery(cases, exact=False)
    assert found.points == pytest.approx(0.5)  # the others all pass, and so does the run's mean
    assert found.extrapolated == 0
    assert list(found.interval or ()) == pytest.approx([0.5, 0.5])


def test_tasks_without_a_spared_attempt_count_half_and_not_in_the_lower_end() -> None:
    cases = [hit(f"t{n}", 0) for n in range(7)] + [case(f"u{n}", 0, 1.0) for n in range(8)]
    found = recovery([*cases, hit("v", 0), case("v", 1, 1.0)], exact=False)
    assert found.points == pytest.approx(4 / 16)  # 7 tasks give half of a mean of one, one half of a point
    assert found.interval is not None
    assert found.interval[0] == 0.0
    assert found.extrapolated == 7


def test_where_no_task_has_a_spared_attempt_nothing_is_estimated() -> None:
    cases = [hit(f"t{n}", 0) for n in range(8)] + [case(f"u{n}", 0, 1.0) for n in range(8)]
    found = recovery(cases, exact=False)
    assert (found.points, found.interval, found.tasks, found.extrapolated, found.most) == (None, None, 8, 8, 0.5)


def test_nothing_hit_costs_nothing() -> None:
    found = recovery([case("t", 0, 0.0)], exact=True)
    assert (found.points, found.most) == (0.0, 0.0)
