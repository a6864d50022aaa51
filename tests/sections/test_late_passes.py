"""Passes that met a limit: they are ordinary rows, and are counted beside the failures with the same word."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.gym_rows import Json, analysed, message, response, row, write
from tests.questions.made_cases import called, words

from blade.model import Analysis
from blade.questions import more_room
from blade.sections import denominator, recommendations

LATE = {"_translated": {"status": "timed_out", "reason": "ClockRanOut"}}


def rollout(task: int, seconds: int, *, passed: bool, late: bool) -> Json:
    return row(task, 0, float(passed), agent_seconds=seconds, **(LATE if late else {}))


@pytest.fixture(scope="module")
def analysis(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    """Twenty rollouts end in time, half of them pass; ten run out of time, three of which pass."""
    rows = [rollout(task, 100 + task, passed=task % 2 == 0, late=False) for task in range(20)]
    rows += [rollout(task, 900, passed=task < 23, late=True) for task in range(20, 30)]
    return analysed(f"run={write(Path(tmp_path_factory.mktemp('late')) / 'run.jsonl', rows)}")


def test_a_pass_that_met_the_limit_is_an_ordinary_row_and_is_told(analysis: Analysis) -> None:
    (run,) = analysis.runs
    assert run.statuses == {"timed_out": 7, "ok": 23}
    (reason,) = run.reasons
    assert (reason["rollouts"], reason["passed"], reason["passed_all_the_same"]) == (7, 0, 3)
    assert (
        "3 more rollouts of run say “ClockRanOut”, too, and still pass: 3 of 10 with this label. By itself it does "
        "not explain a failure." in words(denominator.build(analysis))
    )


def test_what_more_room_would_give_counts_the_passes_at_the_limit(analysis: Analysis) -> None:
    answer = analysis.investigation["more_room"]
    limit = answer["runs"][0]["limit"]
    assert (limit["cut"], limit["cut_passes"]) == (10, 3)
    assert "and 3 of these pass." in words(more_room.tell(answer))


def test_nothing_is_said_where_no_pass_met_the_limit(tmp_path: Path) -> None:
    rows = [rollout(task, 100, passed=True, late=False) for task in range(4)]
    rows += [rollout(task, 900, passed=False, late=True) for task in range(4, 8)]
    assert "all the same" not in words(denominator.build(analysed(write(tmp_path / "run.jsonl", rows))))


def test_advice_on_the_limit_says_how_many_pass_at_it(tmp_path: Path) -> None:
    rows = [rollout(task, 100 + task, passed=task % 2 == 0, late=False) for task in range(20)]
    rows += [rollout(task, 900, passed=task < 23, late=True) for task in range(20, 30)]
    other = [rollout(task, 90, passed=task % 3 > 0, late=False) for task in range(30)]
    paths = [f"{name}={write(tmp_path / name, some)}" for name, some in (("run", rows), ("other", other))]
    told = words(recommendations.build(analysed(*paths)))
    assert (
        "Check whether the limit is too low for run: 7 rollouts ran out of time and fail, as their rows say, but "
        "3 more with the same label pass." in told
    ), told


def test_no_higher_limit_is_advised_where_nobody_passes_late(tmp_path: Path) -> None:
    def turned(task: int, turns: int, *, passed: bool) -> Json:
        cut = {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}} if turns > 8 else {}
        parts = [item for n in range(turns - 1) for item in called("look", {"at": f"door {task} {n}"}, f"a door {n}")]
        told = response(*parts, message(f"Said {task}."), **cut)
        return row(task, reward=float(passed), response=told, expected_answer=None, extracted_answer=None)

    rows = [turned(task, 2 + task % 4, passed=task % 2 == 0) for task in range(40)]
    rows += [turned(task, 10, passed=False) for task in range(40, 50)]
    other = [turned(task, 2 + task % 4, passed=task % 3 > 0) for task in range(50)]
    paths = [f"{name}={write(tmp_path / name, some)}" for name, some in (("run", rows), ("other", other))]
    told = words(recommendations.build(analysed(*paths)))
    assert (
        "A higher limit would hardly help run: 10 rollouts reached a length or turn limit, but of 10 still at work "
        "halfway to it none passed later." in told
    )
    assert "too low" not in told


def looping(task: int, *, cut: bool, passed: bool) -> Json:
    """A rollout that asks the same until a limit cuts it, or asks twice and ends."""
    turns = range(9) if cut else range(2)
    parts = [item for n in turns for item in called("look", {"at": "door" if cut else f"door {n}"}, "a closed door")]
    stop = {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}} if cut else {}
    answer = response(*parts, *([] if cut else [message(f"Said {task}.")]), **stop)
    return row(task, reward=float(passed), response=answer, expected_answer=None, extracted_answer=None)


def test_a_loop_is_stopped_before_its_limit_is_raised(tmp_path: Path) -> None:
    rows = [looping(task, cut=False, passed=task % 2 == 0) for task in range(40)]
    rows += [looping(task, cut=True, passed=False) for task in range(40, 50)]
    other = [looping(task, cut=False, passed=task % 3 > 0) for task in range(50)]
    paths = [f"{name}={write(tmp_path / name, some)}" for name, some in (("run", rows), ("other", other))]
    advice = words(recommendations.build(analysed(*paths)))
    assert (
        "Stop the loops of run before its limit is raised: 10 rollouts reached a length or turn limit, and 10 of 10 "
        "that a limit cut repeat themselves." in advice
    ), advice
    assert "too low" not in advice
    assert "Raise the limit" not in advice


def test_the_step_against_a_limit_is_one_against_loops_where_most_of_the_cut_go_in_circles(tmp_path: Path) -> None:
    rows = [looping(task, cut=False, passed=task % 2 == 0) for task in range(40)]
    rows += [looping(task, cut=True, passed=False) for task in range(40, 50)]
    steps = analysed(f"run={write(tmp_path / 'run', rows)}").interventions
    changes = {item.change: item.rollouts for item in steps}
    assert not [change for change in changes if change.startswith("Raise the limit")], changes
    assert [many for change, many in changes.items() if change.startswith("Have the harness stop")] == [10], changes
