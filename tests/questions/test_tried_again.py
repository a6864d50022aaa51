"""Whether trying again after a failed call goes with passing, told by tool; a shell is not asked about."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.gym_rows import Json, analysed, write
from tests.questions.made_cases import called, case, run_of, said, task_row, words
from tests.test_every_section import look_up

from blade.diagnosis.cases import Case
from blade.extract.tool_errors import NO_CHANGE, WORKED_AGAIN
from blade.questions import tried_again

BUSY = "Error: the desk is busy"
FULL = "Error: the hall is full"


def _row(task: int, *answers: str | Json, passed: bool) -> Json:
    """Three tables are looked at, and one is reserved with as many calls as there are answers."""
    looks = [called("look_up", {"table": task + place}, {"seats": 4}) for place in range(3)]
    calls = [called("reserve", {"table": task, "at": place}, answer) for place, answer in enumerate(answers)]
    return task_row(task, *looks, *calls, said("So."), passed=passed)


def _case(
    task: int, *, again: bool, passed: bool, words: str = BUSY, many: int = 1, calls: tuple[int, int] = (1, 3)
) -> Case:
    """Some calls of the tool fail; afterwards it goes well or not. `calls` are those of the tool and all others."""
    error = ["reserve", words, 3, words, many, WORKED_AGAIN if again else NO_CHANGE, "", again or many > 1]
    actions = ["reserve(table)"] * calls[0] + ["look_up(table)"] * calls[1]
    return case(task, passed=passed, observed={"errors": [error]}, actions=actions)


def _told(*cases: Case) -> str:
    answer = tried_again.ask([run_of("hall", cases)])
    return "" if answer is None else words(tried_again.tell(answer))


def test_those_who_call_again_and_those_who_go_on_are_told_with_their_passes(tmp_path: Path) -> None:
    rows = [_row(task, BUSY, {"ok": True}, passed=task < 7) for task in range(8)]
    rows += [_row(task, BUSY, passed=False) for task in range(8, 16)]
    rows += [_row(task, {"ok": True}, passed=False) for task in range(16, 20)]  # no call fails there
    answer = analysed(write(tmp_path / "hall.jsonl", rows)).investigation["tried_again"]
    (entry,) = answer["tools"]
    assert (entry["tool"], entry["quote"], entry["kinds"]) == ("reserve", BUSY, 1)
    assert [entry[key] for key in ("again", "again_passes", "worked", "left", "left_passes")] == [8, 7, 8, 8, 0]
    sentence = (
        f"After a failed call of reserve (“{BUSY}”), 8 rollouts call it again (which goes well in 8) and 7 of them "
        "pass; 8 go on without it and none of them passes (p = 0.0014, tasks of similar difficulty compared)."
    )
    assert words(tried_again.tell(answer)) == f"{sentence} It fails so in 8, 9, 10, 11, 12, 13, 14 and 15."
    assert [head.text for head in tried_again.brief(answer)] == [sentence]
    (step,) = tried_again.advise(answer)
    assert (step.kind, step.rollouts, step.before_scores) == ("prompt", 8, False)
    assert step.change == (
        "Have the agent call reserve again after a failed call, as the passes do, before it goes on without it"
    )
    assert step.because.text == (
        "7 of the 8 rollouts that call reserve again after a failed call pass, 0 of the 8 others."
    )


def test_every_number_stands_where_its_proof_says(tmp_path: Path) -> None:
    rows = [_row(task, BUSY, {"ok": True}, passed=task < 7) for task in range(8)]
    rows += [_row(task, BUSY, passed=False) for task in range(8, 16)]
    answer = analysed(write(tmp_path / "hall.jsonl", rows)).investigation["tried_again"]
    sentences = [*tried_again.brief(answer), *(step.because for step in tried_again.advise(answer))]
    facts = [fact for sentence in sentences for fact in sentence.facts]
    assert len(facts) == 9
    for fact in facts:
        assert look_up({"investigation": {"tried_again": answer}}, fact.proof["args"]["path"]) == fact.value, fact


def test_a_call_that_fails_again_was_tried_again() -> None:
    again = [_case(task, again=False, many=2, passed=True) for task in range(6)]
    left = [_case(task, again=False, passed=task == 6) for task in range(6, 16)]
    assert _told(*again, *left).startswith(
        f"After a failed call of reserve (“{BUSY}”), 6 rollouts call it again (which goes well in 0) and 6 of them "
        "pass; 10 go on without it and 1 of them passes (p = 0.00087, tasks of similar difficulty compared). It "
        "fails so in 7, 8, "
    )


def test_several_answers_are_told_by_the_commonest() -> None:
    again = [_case(task, again=True, passed=True, words=FULL if task < 3 else BUSY) for task in range(12)]
    left = [_case(task, again=False, passed=False, words=FULL if task < 16 else BUSY) for task in range(12, 24)]
    assert f"After a failed call of reserve (“{BUSY}” and other answers), 12 rollouts call it again" in _told(
        *again, *left
    )


def test_who_meets_an_error_after_which_nobody_tries_again_is_not_held_against_the_others() -> None:
    """An outage that no repeated call ends is no sign of giving up."""
    again = [_case(task, again=True, passed=True) for task in range(12)]
    left = [_case(task, again=False, passed=False, words=FULL) for task in range(12, 24)]
    assert not _told(*again, *left)


@pytest.mark.parametrize(("calls", "asked"), [((1, 3), True), ((2, 3), True), ((2, 2), False), ((4, 1), False)])
def test_a_shell_that_makes_most_calls_is_not_asked_about(calls: tuple[int, int], *, asked: bool) -> None:
    again = [_case(task, again=True, passed=True, calls=calls) for task in range(8)]
    left = [_case(task, again=False, passed=False, calls=calls) for task in range(8, 16)]
    assert bool(_told(*again, *left)) is asked


@pytest.mark.parametrize(
    ("again", "left", "asked"),
    [
        pytest.param((8, 8), (0, 8), True, id="asked"),
        pytest.param((4, 4), (0, 30), False, id="few call again"),
        pytest.param((30, 30), (0, 4), False, id="few go on"),
        pytest.param((8, 8), (8, 8), False, id="all pass"),
        pytest.param((5, 8), (3, 8), False, id="chance"),
        pytest.param((0, 8), (8, 8), False, id="those who go on pass"),
    ],
)
def test_it_is_told_where_enough_do_either_and_those_who_call_again_pass_more(
    again: tuple[int, int], left: tuple[int, int], *, asked: bool
) -> None:
    """Passes of so many rollouts of either kind."""
    cases = [_case(task, again=True, passed=task < again[0]) for task in range(again[1])]
    cases += [_case(task + again[1], again=False, passed=task < left[0]) for task in range(left[1])]
    assert bool(_told(*cases)) is asked


@pytest.mark.parametrize(("tasks", "asked"), [(2, False), (4, True)])
def test_those_who_go_on_do_so_in_several_tasks(tasks: int, *, asked: bool) -> None:
    cases = [_case(task, again=True, passed=True) for task in range(tasks) for _ in range(5)]
    cases += [_case(task, again=False, passed=False) for task in range(tasks) for _ in range(5)]
    assert bool(_told(*cases)) is asked


def test_runs_are_told_with_how_often_they_go_on() -> None:
    def cases(left: int, first: int) -> list[Case]:
        """Twelve rollouts of which so many go on and fail; the others call again and pass."""
        return [_case(first + n, again=n >= left, passed=n >= left) for n in range(12)]

    answer = tried_again.ask([run_of("old", cases(9, 0)), run_of("new", cases(3, 20))])
    assert answer is not None
    told = words(tried_again.tell(answer))
    assert (
        "12 rollouts call it again (which goes well in 12) and 12 of them pass; 12 go on without it and "
        "none of them passes" in told
    )
    assert "They go on without it: new in 3 of 12 and old in 9 of 12. It fails so in 0, 1, 2" in told


def test_unjudged_rollouts_do_not_count() -> None:
    again = [_case(task, again=True, passed=True) for task in range(6)]
    left = [_case(task, again=False, passed=False) for task in range(6, 12)]
    assert _told(*again, *left)
    for lost in left[:2]:
        lost.state = "infrastructure"
    assert not _told(*again, *left)


def test_a_call_for_another_object_is_no_second_try(tmp_path: Path) -> None:
    def row(task: int, *tables: str, passed: bool) -> Json:
        looks = [called("look_up", {"table": f"T-{task}{place}00"}, {"seats": 4}) for place in range(3)]
        answers = (BUSY, {"ok": True})
        calls = [called("reserve", {"table": table}, answer) for table, answer in zip(tables, answers, strict=False)]
        return task_row(task, *looks, *calls, said("So."), passed=passed)

    again = [row(task, f"T-{task}100", f"T-{task}100", passed=True) for task in range(8)]
    others = [row(task, f"T-{task}100", f"T-{task}200", passed=False) for task in range(8, 16)]
    answer = analysed(write(tmp_path / "hall.jsonl", again + others)).investigation["tried_again"]
    assert [answer["tools"][0][key] for key in ("again", "again_passes", "left", "left_passes")] == [8, 8, 8, 0]
