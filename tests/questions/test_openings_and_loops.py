"""Openings that fail, placeholders, streaks, and finished work that a limit cut."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import Json, analysed, write
from tests.questions.made_cases import called, case, run_of, said, task_row, user, words

from blade.questions import openings_and_loops


def _seen(*, fails: bool = False, streak: int = 1, turns: int = 3, arguments: str = "{}", **more: object) -> Json:
    return {"opening": ["find", int(fails), arguments], "streak": ["think", streak], "turns": turns, **more}


def test_a_run_that_opens_with_failing_calls_is_named_with_both_pass_counts() -> None:
    new = [case(task, passed=task % 2 == 0, observed=_seen(fails=task < 20)) for task in range(30)]
    old = [case(task, passed=task % 2 == 0, observed=_seen(fails=task < 2)) for task in range(30)]
    answer = openings_and_loops.ask([run_of("old", old), run_of("new", new)])
    assert answer is not None
    told = words(openings_and_loops.tell(answer))
    assert (
        "Rollouts that open with a call that fails, mostly find: new 20 of 30 (10 pass, of the others 5 of 10)" in told
    )
    assert "new opens so more often than the other runs (0, 1, 2" in told
    assert "Within runs it is not shown to separate passes from failures." in told


def test_the_same_failing_first_call_in_many_tasks_is_a_placeholder(tmp_path: Path) -> None:
    rows = [
        task_row(
            task,
            called("find_user", {"email": "a@example.com"}, "Error: user not found"),
            called("find_user", {"email": f"u{task}@x.org"}, "u1"),
            said("So."),
            passed=task % 2 == 0,
        )
        for task in range(6)
    ]
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["openings_and_loops"]
    told = words(openings_and_loops.tell(answer))
    assert (
        'one opens with the same call, find_user {"email": "a@example.com"}, a placeholder or an example, in 6 '
        "rollouts of 6 different tasks (0, 1, 2, 3, 4 and 5); 6 of these calls fail and 3 of the rollouts pass." in told
    )


def test_a_streak_of_one_tool_until_the_limit_is_told() -> None:
    cases = [
        case(task, passed=False, observed=_seen(streak=14 + task, turns=30), actions=["think(t)"] * 20)
        for task in range(4)
    ]
    cases += [
        case(task, passed=task < 25, observed=_seen(turns=3 + task % 9), actions=["find(q)"] * 9)
        for task in range(4, 30)
    ]
    answer = openings_and_loops.ask([run_of("one", cases)])
    assert answer is not None
    told = words(openings_and_loops.tell(answer))
    assert (
        "one calls think 14 to 17 times in a row in 4 rollouts (0, 1, 2 and 3); 4 of them run into the turn limit "
        "and none passes." in told
    )


def test_where_no_turn_limit_is_known_none_is_spoken_of() -> None:
    cases = [
        case(task, passed=False, observed=_seen(streak=14, turns=15 + task), actions=["think(t)"] * 20)
        for task in range(4)
    ]
    cases += [
        case(task, passed=task < 25, observed=_seen(turns=3 + task % 9), actions=["find(q)"] * 9)
        for task in range(4, 30)
    ]
    answer = openings_and_loops.ask([run_of("one", cases)])
    assert answer is not None
    told = words(openings_and_loops.tell(answer))
    assert "one calls think 14 times in a row in 4 rollouts (0, 1, 2 and 3); of them none passes." in told


def test_a_run_with_one_tool_alone_has_no_streaks() -> None:
    cases = [
        case(task, passed=task > 9, observed=_seen(streak=20 if task < 10 else 1), actions=["think(t)"] * 20)
        for task in range(20)
    ]
    assert openings_and_loops.ask([run_of("one", cases)]) is None


def test_finished_work_that_a_limit_cut_is_told_with_what_else_was_expected() -> None:
    cases = [case(task, passed=True, observed=_seen(turns=3 + task % 9)) for task in range(20)]
    cases += [
        case(20, passed=False, observed=_seen(turns=30, shape="all right", answers=0, expected=[["close", 1]])),
        case(21, passed=False, observed=_seen(turns=30, shape="all right", answers=1, expected=[["close", 1]])),
        case(22, passed=False, observed=_seen(turns=30, shape="omission", answers=0, expected=[["close", 1]])),
        case(23, passed=False, observed=_seen(turns=30, shape="all right", answers=0, expected=[])),
    ]
    ended = [case(task, passed=True, observed=_seen(turns=3 + task % 9)) for task in range(20)]
    ended += [case(20, passed=False, observed=_seen(turns=30, shape="all right", user_ends=1))]
    answer = openings_and_loops.ask([run_of("one", cases), run_of("ended by its user", ended)])
    assert answer is not None
    told = words(openings_and_loops.tell(answer))
    assert told.startswith(
        "Failures that end exactly at the turn limit of 30 turns, which no rollout exceeds: one 4; in 2 of"
    )
    assert "exactly the expected changes had been made when the limit cut the rollout, which was scored as a" in told
    assert "(one: 20 and 21). An answer was also expected in one: 21." in told
    (limit,) = openings_and_loops.health(answer)
    assert (limit["check"], limit["run"]) == ("unnamed_limits", "one")
    assert limit["statement"] == "4 failures of one end at 30 turns."
    (advice,) = openings_and_loops.advise(answer)
    assert advice.change == "Raise the limit of 30 turns, or report separately what it cuts"
    assert advice.because.text == "It ends 4 failures, 2 of them with all expected changes made: one 4."


def test_look_ups_of_invented_values_are_counted_whether_or_not_they_are_mended(tmp_path: Path) -> None:
    """The new run guesses in 20 of 30 rollouts and finds the guest later in all but three of them."""

    def rollout(task: int, *, guesses: bool) -> Json:
        guess = called("find_guest", {"mail": f"something{task}@mail"}, "Error: guest not found")
        found = called("find_guest", {"mail": f"guest{task}@home"}, {"id": f"G{task}"})
        parts = (user(f"I am guest{task}@home."), *((guess,) if guesses else ()), *((found,) if task > 2 else ()))
        return task_row(task, *parts, said("Done."), passed=task % 2 == 0)

    rows = {name: [rollout(task, guesses=name == "new" and task < 20) for task in range(30)] for name in ("old", "new")}
    answer = analysed(*(write(tmp_path / f"{name}.jsonl", made) for name, made in rows.items())).investigation
    told = words(openings_and_loops.tell(answer["openings_and_loops"]))
    assert "which nobody gave: new 20 of 30 (10 of 20 pass, of the others 5 of 10; 3 never get past it)." in told
    assert answer["openings_and_loops"]["invented"]["runs"][0]["unresolved"] == 3
    assert "Within runs it is not shown to separate passes from failures." in told


def test_a_run_that_never_gets_an_answer_from_the_first_look_up_is_named() -> None:
    """Guests are found by their name or by their room; only then can a bill be opened."""

    def desk(tools: list[str], expected: int = 1) -> Json:
        return _seen(answered=tools, expected=[["pay_bill", number] for number in range(expected)])

    old = [case(task, passed=task % 3 > 0, observed=desk([["by_name", "by_room"][task % 2]])) for task in range(30)]
    new = [case(task, passed=False, observed=desk(["list_prices"], task % 2)) for task in range(12)]
    new += [case(task, passed=task % 3 > 0, observed=desk(["by_name", "open_bill"])) for task in range(12, 30)]
    answer = openings_and_loops.ask([run_of("old", old), run_of("new", new)])
    assert answer is not None
    told = words(openings_and_loops.tell(answer))
    assert (
        "Rollouts without any answer from the first look-up (by_name or by_room, which answer in 32 of 32 passes): new "
        "12 of 30 (0 of 12 pass, of the others 12 of 18; of 24 that need a change 18 have one); 1 other run 0 of "
        "30 (of 30 that need a change 30 have one). new lacks one more often than the other runs (0, 1, 2" in told
    )
    assert "It goes with the outcome (p = " in told


def test_where_passes_begin_in_many_ways_there_is_no_first_look_up() -> None:
    cases = [
        case(task, passed=task % 2 == 0, observed=_seen(answered=[f"tool_{task % 8}"] if task < 36 else []))
        for task in range(60)
    ]
    answer = openings_and_loops.ask([run_of("one", cases)])
    assert answer is None or answer["unanswered"] is None


def test_the_same_failing_first_call_that_each_task_names_is_no_placeholder(tmp_path: Path) -> None:
    rows = [
        task_row(
            task,
            called("shell", {"command": "ls /data"}, "sh: line 1: ls: command not found"),
            called("shell", {"command": f"cat /data/f{task}"}, "u1"),
            said("So."),
            passed=task % 2 == 0,
        )
        for task in range(6)
    ]
    for task, row in enumerate(rows):
        row["responses_create_params"]["input"][-1]["content"] = f"Show me what stands in /data/f{task}."
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["openings_and_loops"]
    told = words(openings_and_loops.tell(answer))
    assert 'one opens with the same call, shell {"command": "ls /data"}, in 6 rollouts of 6 different tasks' in told
    assert "placeholder" not in told
