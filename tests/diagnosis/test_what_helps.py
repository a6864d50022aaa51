"""What is proposed fits the fault: no rerun where nothing starts, no larger limit where a check stops all."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from tests.diagnosis.made_cases import case, run_of

from blade.diagnosis.cases import Case
from blade.diagnosis.interventions import find_interventions
from blade.diagnosis.modes import find_modes
from blade.diagnosis.remedies import BENCHMARK, ENDLESS, LIMIT, LOOPS, READING, START, USER
from blade.findings import OF_USER, Label, MoreRoom, TaskFault
from blade.model import Flaw

CUT = "ends_on_tool_output"


def _checked(attempt: int, checks: Mapping[str, int], *, cut: bool, run: str = "a", **more: Any) -> Case:
    fired = ["assertion_stage", *([CUT] if cut else [])]
    return case("t", attempt, 0.0, run, fired=fired, checks_json=json.dumps(checks), items=9, **more)


def _pass(attempt: int, run: str = "a") -> Case:
    return case("t", attempt, 1.0, run, checks_json='{"builds": 1, "runs": 1}', items=9)


@pytest.mark.parametrize(
    ("others", "mode"),
    [
        ([_checked(n, {"builds": 1, "runs": 0}, cut=False) for n in (1, 2)] + [_pass(3)], "assertion_stage"),
        ([_checked(n, {"builds": 0, "runs": 0}, cut=True) for n in (1, 2, 3)], "assertion_stage"),
        ([_checked(1, {"builds": 0, "runs": 1}, cut=False), _pass(2), _pass(3)], CUT),
        ([_pass(n) for n in (1, 2, 3)], CUT),
    ],
    ids=["others fail so at their end", "nobody passes that check", "others fail otherwise", "others pass"],
)
def test_a_cut_explains_nothing_where_a_check_stops_the_attempt_anyhow(others: list[Case], mode: str) -> None:
    cut = _checked(0, {"builds": 1, "runs": 0}, cut=True)
    find_modes([run_of(cut, *others)])
    assert cut.mode == mode


def test_an_attempt_that_fails_every_check_is_not_held_against_one_that_does_too() -> None:
    """Where no check is passed all failures look alike, and the cut may well be why."""
    cut, other = (_checked(n, {"builds": 0, "runs": 0}, cut=n == 0) for n in (0, 1))
    find_modes([run_of(cut, other, _pass(2))])
    assert cut.mode == CUT


def _never(task: str, attempt: int, stage: str) -> Case:
    reason = "the agent never started: tool: not found" if stage == "not_started" else "no trial"
    return case(task, attempt, 0.0, state="infrastructure", stage_lost=stage, reason=reason)


def test_where_no_attempt_starts_the_start_is_to_be_repaired_and_not_run_again() -> None:
    barred = [_never("barred", n, "not_started") for n in range(3)] + [_never("barred", 3, "no_trial")]
    once = [_never("once", 0, "not_started"), case("once", 1, 1.0), case("once", 2, 1.0)]
    run = run_of(*barred, *once)
    found = {item.change: item for item in find_interventions([run], find_modes([run]), ())}
    start = found.pop(START.change)
    assert (start.tasks, start.rollouts, start.kind) == (("barred",), 3, "environment")
    assert start.named == (("reason", "the agent never started: tool: not found", 3),)
    assert "and only then run them again" in start.summary
    (again,) = found.values()
    assert "run these rollouts again" in again.change
    assert again.rollouts == 2


def test_a_task_at_fault_is_to_be_read_whatever_else_its_rollouts_show() -> None:
    run = run_of(*(_checked(n, {"builds": 1, "runs": 0}, cut=True) for n in (0, 1)), _pass(2))
    modes = find_modes([run])
    labels = (Label("a", "t", ("TI",), None, False, (), ""),)
    (item,) = find_interventions([run], modes, labels, faults={"t": TaskFault("why")})
    assert item.change == BENCHMARK.change
    assert item.rollouts == 2
    assert "2 rollouts of 1 task (t; " in item.summary
    mixed_up = Flaw("task-contradicted", "rows are checked as another task", "a.json", rows=3)
    run.run.raw.flaws = [mixed_up]
    (unnamed,) = find_interventions([run], modes, labels, faults={"t": TaskFault("why")})
    assert "(t; " not in unnamed.summary
    run.run.raw.flaws = []
    (of_user,) = find_interventions([run], modes, labels, faults={"t": TaskFault("why", OF_USER)})
    assert (of_user.change, of_user.points) == (USER.change, None)
    (elsewhere,) = find_interventions([run], modes, labels, faults={"t": TaskFault("why", runs=("other",))})
    assert elsewhere.change not in {USER.change, BENCHMARK.change}


def test_a_label_that_rests_on_attempts_without_a_verdict_says_nothing_of_the_key() -> None:
    run = run_of(case("t", 0, 0.0), case("t", 1, 1.0))
    modes = find_modes([run])

    def advised(rule: str) -> set[str]:
        labels = (Label("a", "t", ("TI",), None, False, (), "", rule=rule),)
        return {item.change for item in find_interventions([run], modes, labels)}

    assert BENCHMARK.change in advised("suspect_gold")
    assert BENCHMARK.change not in advised("status") | advised("lost_everywhere")


def test_a_mended_user_helps_only_where_nothing_else_is_wrong() -> None:
    rows = [case(f"t{n}", 0, 0.0, fired=["user_ends_early"]) for n in range(3)]
    run = run_of(*rows, case("p", 0, 1.0))
    modes = find_modes([run])
    found = find_interventions([run], modes, (), sole={id(rows[0])})
    mended, read = sorted(found, key=lambda item: item.rollouts)
    assert (mended.rollouts, mended.tasks) == (1, ("t0",))
    assert mended.change.startswith("Have the simulated user wait")
    assert (read.rollouts, read.change) == (2, READING.change)
    assert (mended.elsewhere, read.elsewhere) == (2, 0), "with those counted elsewhere it is the mode's own count"


def _at_the_limit(looping: int, others: int) -> list[Case]:
    cases = [case(f"l{n}", 0, 0.0, fired=["turn_limit", "text_loop"]) for n in range(looping)]
    return cases + [case(f"o{n}", 0, 0.0, fired=["turn_limit"]) for n in range(others)]


def _proposed(looping: int, others: int, room: MoreRoom | None = None) -> list[tuple[str, int]]:
    """What is proposed for these; others fail with a wrong answer, or the limit would be every failure's end."""
    cut = _at_the_limit(looping, others)
    wrong = [case(f"w{n}", 0, 0.0, fired=["wrong_answer"]) for n in range(20)]
    run = run_of(*cut, *wrong, *(case(f"p{n}", 0, 1.0) for n in range(20)))
    modes = find_modes([run])
    for made in cut:
        made.mode = "turn_limit"
    return [(item.change, item.rollouts) for item in find_interventions([run], modes, (), more_room=room)]


def test_loops_are_broken_before_a_limit_is_raised_where_a_third_of_what_it_cut_goes_in_circles() -> None:
    assert _proposed(8, 10) == [(LOOPS.change, 8), (LIMIT.change, 10)]
    assert _proposed(2, 16) == [(LIMIT.change, 18)]


@pytest.mark.parametrize(("later", "change"), [(8, LIMIT.change), (1, ENDLESS.change)])
def test_no_higher_limit_is_proposed_where_hardly_anybody_passes_late(later: int, change: str) -> None:
    room = MoreRoom(cut=18, looping=0, working=40, later=later, points=0.1)
    assert _proposed(0, 18, room) == [(change, 18)]


@pytest.mark.parametrize("cut", [4, 70], ids=["fewer were cut", "far more were cut"])
def test_what_is_known_of_another_limit_says_nothing_of_this_one(cut: int) -> None:
    room = MoreRoom(cut=cut, looping=0, working=40, later=0, points=0.0)
    assert _proposed(0, 18, room) == [(LIMIT.change, 18)]


@pytest.mark.parametrize(("points", "is_told"), [(0.1, True), (0.9, False)])
def test_an_estimate_above_the_ceiling_is_of_something_else(points: float, is_told: bool) -> None:
    cut = _at_the_limit(0, 18)
    run = run_of(*cut, *(case(f"w{n}", 0, 0.0) for n in range(20)), *(case(f"p{n}", 0, 1.0) for n in range(20)))
    modes = find_modes([run])
    for made in cut:
        made.mode = "turn_limit"
    room = MoreRoom(cut=18, looping=0, working=40, later=20, points=points)
    (item,) = [item for item in find_interventions([run], modes, (), more_room=room) if item.change == LIMIT.change]
    assert (item.more_room is not None) is is_told


def test_an_interface_that_does_not_exist_asks_for_its_documentation() -> None:
    run = run_of(*(case(f"t{n}", 0, 0.0, fired=["nonexistent_api"]) for n in range(3)), case("p", 0, 1.0))
    (item,) = find_interventions([run], find_modes([run]), ())
    assert item.kind == "prompt"
    assert item.change.startswith("Give the model the documentation of the version that runs")


def test_a_limit_leaves_out_and_counts_work_whose_tests_show_an_error() -> None:
    cut = [case(f"t{n}", 0, 0.0, state="timed_out", reason="agent_timeout", items=9) for n in range(3)]
    wrong = [
        case(f"w{n}", 0, 0.0, state="timed_out", reason="agent_timeout", fired=["assertion_stage"], items=9)
        for n in range(2)
    ]
    run = run_of(*cut, *wrong, *(case(f"p{n}", 0, 1.0, items=9) for n in range(5)))
    (item,) = [item for item in find_interventions([run], find_modes([run]), []) if item.change == LIMIT.change]
    assert (item.rollouts, item.own_errors) == (3, 2)
    assert item.summary.endswith(
        "2 more rollouts that it cut are left out: their tests show a failing assertion, which more room may not mend."
    )
