"""A tool after which hardly any rollout goes on, and some pass, ends rollouts by design and cuts nothing off."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.diagnosis.made_cases import case, run_of
from tests.gym_rows import ABSENT, Json, analysed, message, response, row, write
from tests.questions.made_cases import called

from blade.diagnosis.cases import Case
from blade.diagnosis.closing_tools import RULE, forget_designed_ends

HAND_OVER = ("look(at)", "hand_over(to)")


def ended(name: str, reward: float, actions: tuple[str, ...] = HAND_OVER) -> Case:
    """A rollout that ends on the output of its last call."""
    return case(name, 0, reward, fired=(RULE, "thrash"), actions=actions)


def handed_over(endings: int, passes: int, goes_on: int = 0) -> list[Case]:
    """Rollouts that end on handing over, of which the first pass, and some that go on after it."""
    rollouts = [ended(f"end {place}", float(place < passes)) for place in range(endings)]
    return rollouts + [case(f"on {place}", 0, 1.0, actions=(*HAND_OVER, "look(at)")) for place in range(goes_on)]


def broken_off(*groups: list[Case]) -> set[str]:
    """The tasks whose rollouts still count as broken off."""
    runs = [run_of(*group, name=f"run{place}") for place, group in enumerate(groups)]
    settled = forget_designed_ends(runs)
    assert [run.run.name for run in settled] == [run.run.name for run in runs]
    return {one.label for run in settled for one in run.cases if RULE in one.fired()}


@pytest.mark.parametrize(
    ("endings", "passes", "goes_on", "by_design"),
    [
        (5, 2, 0, True),
        (4, 2, 0, False),  # too few
        (5, 1, 0, False),  # one pass may be luck
        (9, 2, 1, True),
        (8, 2, 1, False),  # more than a tenth goes on
    ],
)
def test_nearly_all_that_call_it_end_there_and_some_pass(
    endings: int, passes: int, goes_on: int, *, by_design: bool
) -> None:
    expected = set() if by_design else {f"end {place}" for place in range(endings)}
    assert broken_off(handed_over(endings, passes, goes_on)) == expected


def test_other_ends_stay_and_so_do_other_signs() -> None:
    elsewhere = [ended(f"look {place}", 0.0, ("look(at)",)) for place in range(3)]
    rollouts = [*handed_over(6, 2), *elsewhere]
    assert broken_off(rollouts) == {"look 0", "look 1", "look 2"}
    assert [set(one.fired()) for one in rollouts[:6]] == [{"thrash"}] * 6
    assert [set(one.sightings) for one in rollouts] == [{"thrash"}] * 6 + [{RULE, "thrash"}] * 3


def test_what_was_asked_before_is_forgotten_too() -> None:
    rollouts = handed_over(6, 2)
    assert all(RULE in one.fired() for one in rollouts)
    assert broken_off(rollouts) == set()


def test_where_no_other_tool_is_called_all_rollouts_end_so() -> None:
    assert len(broken_off([ended(f"end {place}", 1.0, ("hand_over(to)",)) for place in range(6)])) == 6


def test_the_runs_are_looked_at_together() -> None:
    assert broken_off(handed_over(3, 1), handed_over(3, 1)) == set()
    assert len(broken_off(handed_over(5, 2), handed_over(0, 0, goes_on=5))) == 5


def test_a_rollout_that_calls_it_twice_is_one_that_calls_it() -> None:
    twice = ("hand_over(to)", "look(at)", "hand_over(to)")
    assert broken_off([ended(f"end {place}", float(place < 2), twice) for place in range(5)]) == set()


def test_rollouts_without_calls_are_left_alone() -> None:
    silent = case("silent", 0, 0.0, fired=(RULE,))
    assert broken_off([*handed_over(5, 2), silent]) == {"silent"}


def desk(task: int, *, passed: bool, hands_over: bool, says: bool) -> Json:
    steps = called("look", {"at": task}, "a lid")
    steps += called("hand_over", {"to": task}, "taken") if hands_over else called("put", {"lid": task}, "taken")
    output = response(*steps, *([message("So it is.")] if says else []))
    return row(task, reward=float(passed), response=output, expected_answer=ABSENT, extracted_answer=ABSENT)


@pytest.mark.parametrize(("tool_closes", "is_mode"), [(True, False), (False, True)])
def test_a_run_whose_tool_closes_cases_has_no_mode_of_broken_ends(
    tmp_path: Path, *, tool_closes: bool, is_mode: bool
) -> None:
    rows = [desk(task, passed=True, hands_over=task < 2, says=task >= 2) for task in range(20)]
    rows += [desk(task, passed=False, hands_over=tool_closes, says=False) for task in range(20, 28)]
    rows += [desk(task, passed=False, hands_over=False, says=True) for task in range(28, 40)]
    modes = {mode.name for mode in analysed(write(tmp_path / "desk.jsonl", rows)).modes}
    assert ("cut-off after a tool's output" in modes) is is_mode
