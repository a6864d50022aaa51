"""Passes by what was used, what a larger limit could give, and loops in all rows."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import Json, analysed, message, response, row, write
from tests.questions.made_cases import called, words

from blade.questions import more_room


def _row(task: int, turns: int, *, passed: bool, cut: bool = False, calls: int = 0) -> Json:
    looks = [{"at": "door"}] * calls if calls else [{"at": f"door {number}"} for number in range(turns - 1)]
    parts = [item for look in looks for item in called("look", look, "a door")]
    reason = {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}} if cut else {}
    told = response(*parts, message(f"Said {task} in {turns}."), **reason)
    return row(task, reward=float(passed), response=told, expected_answer=None, extracted_answer=None)


def test_what_a_larger_limit_could_give_is_a_ceiling_from_those_still_at_work(tmp_path: Path) -> None:
    rows = [_row(task, 2 + task % 3, passed=True) for task in range(20)]
    rows += [_row(task, 6 + task % 3, passed=task < 22) for task in range(20, 24)]
    rows += [_row(task, 10, passed=False, cut=True) for task in range(24, 40)]
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["more_room"]
    (run,) = answer["runs"]
    assert run["limit"]["working"] == 20
    assert run["limit"]["later_passes"] == 2
    told = words(more_room.tell(answer))
    assert "A limit cut 16 rollouts at 10 turns of the model, and none of these passes." in told
    assert (
        "Of those 20 rollouts still at work after 5 turns of the model, 2 passed later: if as many of the cut "
        "failures did with twice the limit, the pass rate would rise by 4.0 points (an estimate, not a bound)." in told
    )
    assert "one rollouts that use more turns of the model pass less often: 20 of 20 of the shorter half" in told
    assert "90% of the passes of one use at most 4 turns of the model, the longest 8." in told
    run["most_passes"] = 1.0
    assert "use at most 1 turn of the model, the longest 8." in words(more_room.tell(answer))


def test_where_rollouts_go_on_until_they_pass_length_says_nothing(tmp_path: Path) -> None:
    rows = [_row(task, 2 + task % 3, passed=True) for task in range(20)]
    rows += [_row(task, 10, passed=False, cut=True) for task in range(20, 40)]
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["more_room"]
    assert "pass less often" not in words(more_room.tell(answer))


def test_failures_that_repeat_themselves_gain_nothing_from_more_room(tmp_path: Path) -> None:
    def circling(task: int) -> Json:
        parts = [item for _ in range(10) for item in called("look", {"at": "door"}, "a door")]
        reason = {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
        told = response(*parts, message(f"Said {task}."), **reason)
        return row(task, reward=0.0, response=told, expected_answer=None, extracted_answer=None)

    rows = [_row(task, 2 + task % 3, passed=True) for task in range(20)]
    rows += [_row(task, 6 + task % 3, passed=task < 22) for task in range(20, 24)]
    loops = [circling(task) for task in range(24, 36)]
    (run,) = analysed(write(tmp_path / "loops.jsonl", rows + loops)).investigation["more_room"]["runs"]
    assert (run["limit"]["looping_failures"], run["limit"]["ceiling"]) == (12, 0)
    answer = analysed(tmp_path / "loops.jsonl").investigation["more_room"]
    assert "All 12 cut failures repeat themselves: more room would help none." in words(more_room.tell(answer))
    rows += [_row(task, 10, passed=False, cut=True) for task in range(36, 40)]
    answer = analysed(write(tmp_path / "both.jsonl", rows + loops)).investigation["more_room"]
    assert "if as many of the cut failures that do not repeat themselves did" in words(more_room.tell(answer))


def _closed(task: int, turns: int, words: str, *, passed: bool, cut: bool = False) -> Json:
    made = _row(task, turns, passed=passed, cut=cut)
    made["response"]["output"][-1] = message(words)
    return made


def test_who_never_writes_the_words_that_end_a_rollout_is_not_helped_by_a_higher_limit(tmp_path: Path) -> None:
    """Twenty-four end on WORK_DONE; twelve, most of them right, go on thanking each other until a limit cuts them."""
    rows = [_closed(task, 2 + task % 3, f"WORK_DONE: {task}", passed=task % 5 > 0) for task in range(24)]
    rows += [_closed(task, 10, f"Thank you, {task}!", passed=task < 33, cut=True) for task in range(24, 36)]
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["more_room"]
    (run,) = answer["runs"]
    assert run["limit"]["unstopped"] == {"words": "WORK_DONE", "ended": 24, "of_ended": 24, "rollouts": 12, "passes": 9}
    told = words(more_room.tell(answer))
    assert (
        "12 of the cut ones did not stop: their last message lacks “WORK_DONE”, which stands in that of 24 of the 24 "
        "read that no limit cut, and 9 of them pass. A higher limit would end few of them." in told
    )
    assert "twice the limit" not in told
    assert run["limit"]["ceiling"] == 0


def test_where_no_words_end_rollouts_or_the_cut_ones_have_them_more_room_is_estimated(tmp_path: Path) -> None:
    for name, end in (("plain", "All is well"), ("both", "WORK_DONE")):
        rows = [_closed(task, 2 + task % 3, f"{end} {task}", passed=True) for task in range(24)]
        rows += [_closed(task, 10, f"{end} {task}", passed=task < 33, cut=True) for task in range(24, 36)]
        (run,) = analysed(write(tmp_path / f"{name}.jsonl", rows)).investigation["more_room"]["runs"]
        assert run["limit"]["unstopped"] is None


def test_who_is_dismissed_in_the_last_turn_is_not_cut(tmp_path: Path) -> None:
    rows = [_row(task, 2 + task % 4, passed=task < 10) for task in range(30)]
    for task in range(30, 38):
        talk = [item for number in range(9) for item in called("look", {"at": f"door {number}"}, "a door")]
        last = message("Thank you, that is all. ###STOP###" if task < 33 else "And the back door?", "user")
        talk += [message(f"Said {task}."), last]
        told = response(*talk)
        rows.append(row(task, reward=0.0, response=told, expected_answer=None, extracted_answer=None))
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["more_room"]
    assert "A limit cut 5 rollouts at 10 turns of the model" in words(more_room.tell(answer))


def test_a_limit_that_hardly_anybody_needs_is_said_to_hardly_help(tmp_path: Path) -> None:
    rows = [_row(task, 2 + task % 3, passed=True) for task in range(20)]
    rows += [_row(task, 10, passed=False, cut=True) for task in range(20, 40)]
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["more_room"]
    assert "rise by 0.0 points, so a higher limit would hardly help." in words(more_room.tell(answer))


def test_a_record_without_its_head_tells_no_count_of_turns(tmp_path: Path) -> None:
    """A text alone where all others make calls, and one that answers what the record lacks: parts of an attempt."""
    rows = [_row(task, 4 + task % 3, passed=True) for task in range(20)]
    rows += [_row(task, 10, passed=False, cut=True) for task in range(20, 40)]
    rows += [_row(task, 1, passed=False) for task in range(40, 43)]
    late = response(message("I see the issue now: the door was shut."), *called("look", {"at": "door"}, "a door"))
    rows += [
        row(task, reward=0.0, response=late, expected_answer=None, extracted_answer=None) for task in range(43, 46)
    ]
    (run,) = analysed(write(tmp_path / "one.jsonl", rows)).investigation["more_room"]["runs"]
    assert run["measure"] == more_room.TURNS
    assert run["quarters"][0]["from"] == 4
    assert sum(quarter["rollouts"] for quarter in run["quarters"]) == 40


def test_loops_are_counted_whether_cut_or_not(tmp_path: Path) -> None:
    rows = [_row(task, 3, passed=True) for task in range(20)]
    rows += [_row(task, 3, passed=False, calls=task - 8) for task in range(20, 28)]
    rows += [_row(task, 3, passed=False, calls=12, cut=True) for task in range(28, 30)]
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["more_room"]
    assert answer["loops"]["by_itself"]["rollouts"] == 8
    told = words(more_room.tell(answer))
    assert (
        "10 rollouts of 30 go in circles (the same call and answer, or the same words, three times or more, most of "
        "the later calls made before, or work done, undone and done again): 2 cut by a limit (none passes; 28 and 29) "
        "and 8 not known to be cut "
        "(none passes; 20, 21, 22, 23, 24, 25, 26 and 27). Of the others 20 of 20 pass." in told
    )
    assert "Repeating goes with the outcome (p = " in told


def test_loops_to_a_limit_are_told_apart_from_repeating_that_passes_as_often(tmp_path: Path) -> None:
    """Repeating costs nothing where it ends by itself; the two that a limit cuts fail."""
    rows = [_row(task, 3, passed=task % 2 == 0) for task in range(20)]
    rows += [_row(task, 3, passed=task % 2 == 0, calls=task - 8) for task in range(20, 28)]
    rows += [_row(task, 3, passed=False, calls=12, cut=True) for task in range(28, 30)]
    loops = analysed(write(tmp_path / "one.jsonl", rows)).investigation["more_room"]
    told = words(more_room.tell(loops))
    assert (
        "that does not prove that repeating goes with failing (p = 0.71). Repeating until a limit cuts is another "
        "matter: all 2 that do so fail." in told
    )
    rows[28:] = [_row(task, 3, passed=task == 28, calls=12, cut=True) for task in range(28, 30)]
    told = words(more_room.tell(analysed(write(tmp_path / "two.jsonl", rows)).investigation["more_room"]))
    assert "that does not prove that repeating goes with failing (p = " in told
    assert "another matter" not in told


def test_the_limits_of_many_runs_stand_in_a_table_and_not_in_a_sentence_each(tmp_path: Path) -> None:
    paths = []
    for name in ("a", "b", "c", "d"):
        rows = [_row(task, 3, passed=True) for task in range(20)]
        rows += [_row(task, 10, passed=False, cut=True) for task in range(20, 36)]
        for made in rows:
            made["response"]["output"][-1]["content"][0]["text"] += f" So says {name}."
        paths.append(write(tmp_path / f"{name}.jsonl", rows))
    told = words(more_room.tell(analysed(*paths).investigation["more_room"]))
    assert "90% of the passes of" not in told
    assert "a | turns of the model | 3 | 3 | 16 (at 10) | 0 | 0.0 pp" in told


def test_a_run_in_which_use_says_nothing_is_not_told(tmp_path: Path) -> None:
    rows = [_row(task, 2 + task % 7, passed=task % 2 == 0) for task in range(40)]
    assert "more_room" not in analysed(write(tmp_path / "one.jsonl", rows)).investigation


def test_a_call_written_as_text_is_of_the_turn_that_says_it(tmp_path: Path) -> None:
    """A message with words and a call in it is one turn of the model, however it is read."""
    rows = []
    for task in range(30):
        looks = 2 + task % 3 + 5 * (task % 2)
        items = [
            {"type": "message", "role": role, "content": content}
            for number in range(looks)
            for role, content in (
                ("assistant", f'I look.\nAction:\n{{"name": "look", "arguments": {{"at": {number}}}}}'),
                ("user", "API output: a door"),
            )
        ]
        told = response(*items, message(f"Done with {task}."))
        rows.append(row(task, reward=float(looks < 6), response=told, expected_answer=None, extracted_answer=None))
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["more_room"]
    assert "use at most 5 turns of the model, the longest 5." in words(more_room.tell(answer))


_START = "2026-01-01T10:00:00+00:00"


def _on_screen(task: int, seconds: int, end: str, *, passed: bool, late: bool) -> Json:
    """A row that keeps nothing but the last screen, its times and the verifier's word."""
    screen = message(f"[the screen at the end]\nstep {task} of the work\n{end}")
    verifier = {"failure_mode": "agent_timeout" if late else "unset", "results": {"check": "passed"}}
    ended = f"2026-01-01T10:{seconds // 60:02d}:{seconds % 60:02d}+00:00"
    times = {"agent_started_at": _START, "agent_ended_at": ended}
    told = response(screen, usage=None)
    return row(task, reward=float(passed), response=told, expected_answer=None, verifier=verifier, metadata=times)


_PROMPT = "root@1a2b3c:/app#"
_LOG = "\n".join(f"10:0{n}:11 - worker:INFO: relay.py:8 - POST /step" for n in range(4))
_HELD = "10:05:11 - worker:INFO: control.py:5 - from RUNNING to RATE_LIMITED"
_AT_WORK = "INFO: the server answers 200 OK"


def _screens() -> list[Json]:
    rows = [_on_screen(task, 60 + task, _PROMPT, passed=task % 2 == 0, late=False) for task in range(20)]
    rows += [_on_screen(task, 250 + task, _PROMPT, passed=task < 23, late=True) for task in range(20, 30)]
    return rows + [
        _on_screen(task, 400 + 40 * (task - 30), _AT_WORK, passed=False, late=True) for task in range(30, 36)
    ]


def test_a_word_for_a_limit_beside_an_end_of_its_own_is_no_cut(tmp_path: Path) -> None:
    """A shell that waits again shows that the work was over before any limit."""
    analysis = analysed(write(tmp_path / "one.jsonl", _screens()))
    (run,) = analysis.runs
    assert run.statuses["timed_out"] == 6
    told = words(more_room.tell(analysis.investigation["more_room"]))
    assert "A limit cut 6 rollouts before they ended by themselves, and none of these passes." in told
    assert "10 more rollouts are labelled as cut by a limit but had ended by themselves." in told


def test_a_cut_by_the_clock_while_the_provider_held_the_agent_back_is_told_apart(tmp_path: Path) -> None:
    rows = _screens()
    rows += [_on_screen(task, 500, f"{_LOG}\n{_HELD}", passed=False, late=True) for task in range(36, 39)]
    analysis = analysed(write(tmp_path / "one.jsonl", rows))
    told = words(more_room.tell(analysis.investigation["more_room"]))
    assert "3 of the cut ones end on a screen that shows a rate limit: there the provider throttled the agent" in told
    (step,) = [item for item in analysis.interventions if item.change.startswith("Raise the provider's rate limit")]
    assert (step.rollouts, step.kind) == (3, "environment")


def test_a_cut_rollout_that_used_less_than_half_was_not_still_at_work(tmp_path: Path) -> None:
    rows = [*_screens(), _on_screen(36, 100, _AT_WORK, passed=False, late=True)]
    limit = analysed(write(tmp_path / "one.jsonl", rows)).investigation["more_room"]["runs"][0]["limit"]
    assert limit["cut"] == 7
    assert limit["halfway"] == 240
    assert (limit["working"], limit["later_passes"]) == (16, 3)


def test_who_ends_on_a_tools_output_and_says_that_time_ran_out_met_the_limit(tmp_path: Path) -> None:
    rows = [_row(task, 3 + task % 3, passed=True) for task in range(12)]
    late = {"verifier": {"failure_mode": "agent_timeout"}}
    for task in range(12, 18):
        looks = [item for number in range(task) for item in called("look", {"at": f"door {number}"}, "a door")]
        rows.append(row(task, reward=0.0, response=response(*looks), expected_answer=None) | late)
    analysis = analysed(write(tmp_path / "one.jsonl", rows))
    assert analysis.runs[0].statuses["timed_out"] == 6
    assert [(mode.name, mode.runs["one"]["rollouts"]) for mode in analysis.modes] == [("agent timeout", 6)]


def test_nine_of_ten_passes_are_never_fewer_than_nine_of_ten(tmp_path: Path) -> None:
    rows = [_row(task, 2 + task % 3, passed=True) for task in range(13)]
    rows += [_row(13, 6, passed=True), _row(14, 9, passed=True)]
    rows += [_row(task, 10, passed=False, cut=True) for task in range(15, 40)]
    told = words(more_room.tell(analysed(write(tmp_path / "one.jsonl", rows)).investigation["more_room"]))
    assert "90% of the passes of one use at most 6 turns of the model, the longest 9." in told


def test_hard_tasks_that_take_longer_do_not_make_length_a_cause(tmp_path: Path) -> None:
    rows = [_row(task, 3 + task % 4, passed=task % 8 != 1) for task in range(40)]
    rows += [_row(task, 8 + task % 4, passed=False) for task in range(40, 80)]
    runs = {name: [{**made, "agent_ref": {"name": name}} for made in rows] for name in ("one", "two")}
    answer = analysed(*(write(tmp_path / f"{name}.jsonl", made) for name, made in runs.items())).investigation
    assert "pass less often" not in (words(more_room.tell(answer["more_room"])) if "more_room" in answer else "")


def test_one_run_alone_cannot_tell_hard_tasks_from_long_rollouts(tmp_path: Path) -> None:
    rows = [_row(task, 2 + task // 10, passed=task < 20) for task in range(40)]
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["more_room"]
    told = words(more_room.tell(answer))
    assert "which task difficulty may explain" in told
    assert "tasks of similar difficulty compared" not in told


def _steps(task: int, turns: int, *, passed: bool) -> Json:
    parts = [item for n in range(turns) for item in called("run", {"code": f"{task} {n}"}, f"seen {n}")]
    return row(task, reward=float(passed), response=response(*parts), expected_answer=None, extracted_answer=None)


def test_passes_that_need_a_single_turn_are_told_with_what_becomes_of_the_others(tmp_path: Path) -> None:
    rows = [_steps(task, 1, passed=True) for task in range(14)]
    rows += [_steps(task, 2 + task % 3, passed=task < 20) for task in range(14, 30)]
    rows += [_steps(task, 9, passed=False) for task in range(30, 40)]
    told = words(more_room.tell(analysed(write(tmp_path / "one.jsonl", rows)).investigation["more_room"]))
    assert "14 of the 20 passes come with the first turn; of the 26 rollouts that go on 6 pass." in told


def test_two_runs_are_compared_by_their_first_turns_alone(tmp_path: Path) -> None:
    def rows(at_once: int) -> list[Json]:
        made = [_steps(task, 1, passed=True) for task in range(at_once)]
        return made + [_steps(task, 3, passed=task % 9 == 0) for task in range(at_once, 60)]

    paths = [write(tmp_path / f"{name}.jsonl", rows(many)) for name, many in (("one", 20), ("two", 30))]
    told = words(more_room.tell(analysed(*paths).investigation["more_room"]))
    assert (
        "With the first turn alone one passes 20 of the 60 tasks that both have, two 30 (0 against 10 tasks that only "
        "one of them passes so; sign test p = 0.002)." in told
    )


def test_passes_that_take_several_turns_are_not_told_as_first_turns(tmp_path: Path) -> None:
    rows = [_row(task, 2 + task % 3, passed=True) for task in range(20)]
    rows += [_row(task, 9, passed=False, cut=True) for task in range(20, 40)]
    told = words(more_room.tell(analysed(write(tmp_path / "one.jsonl", rows)).investigation["more_room"]))
    assert "first turn" not in told


def test_turns_are_told_where_nearly_all_rollouts_use_them_up(tmp_path: Path) -> None:
    rows = [_steps(task, 1 + task % 3, passed=True) for task in range(8)]
    rows += [_steps(task, 9, passed=False) for task in range(8, 60)]
    for task in range(60):
        rows[task] |= {"turns_taken": len(rows[task]["response"]["output"]) // 2, "turns_max": 9}
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["more_room"]
    (run,) = answer["runs"]
    assert (run["measure"], run["limit"]["cut"], run["limit"]["working"]) == ("acts", 52, 52)


def test_a_cut_at_a_length_is_not_held_against_the_clock(tmp_path: Path) -> None:
    """Only times differ between these rows, and some were cut at their tokens: no clock says what more would give."""

    def timed(task: int, *, cut: bool) -> Json:
        reason = {"incomplete_details": {"reason": "max_output_tokens"}, "status": "incomplete"} if cut else {}
        told = response(message("so"), usage=None) | reason
        passed = not cut and task % 2 == 0
        return row(task, reward=float(passed), response=told, expected_answer=None, timing={"agent_seconds": 10 + task})

    rows = [timed(task, cut=task > 26) for task in range(30)]
    analysis = analysed(write(tmp_path / "one.jsonl", rows))
    assert analysis.runs[0].statuses["truncated"] == 3
    told = analysis.investigation.get("more_room") or {"runs": [], "loops": None}
    assert not [entry for entry in told["runs"] if entry["measure"] == "seconds" and entry["limit"]]


def test_a_full_context_is_no_limit_of_turns(tmp_path: Path) -> None:
    rows = [_row(task, 2 + task % 4, passed=True) for task in range(20)]
    rows += [_row(task, 9, passed=False, cut=True) for task in range(20, 26)]
    full = [_row(task, 6, passed=False, cut=True) for task in range(26, 40)]
    error = "This model's maximum context length is 8192 tokens, however you requested 9000 tokens"
    rows += [one | {"verifier": {"error_message": error}} for one in full]
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["more_room"]
    assert answer["runs"][0]["limit"]["cut"] == 6


def test_what_more_room_brings_is_unknown_where_nobody_else_worked_so_long(tmp_path: Path) -> None:
    """An estimate of 0.0 points from the cut rollouts alone would read as a finding."""
    rows = [_row(task, 2 + task % 3, passed=task < 15) for task in range(20)]
    rows += [_row(task, 10, passed=False, cut=True) for task in range(20, 24)]
    analysis = analysed(write(tmp_path / "one.jsonl", rows))
    told = words(more_room.tell(analysis.investigation["more_room"]))
    assert (
        "No rollout that ended by itself was still at work after 5 turns of the model: what more room would bring is "
        "not known." in told
    )
    assert "would rise by" not in told
    assert [item.more_room for item in analysis.interventions] == [None] * len(analysis.interventions)


def test_cut_rollouts_that_ask_the_same_again_and_again_are_counted(tmp_path: Path) -> None:
    def rollout(task: int, *, again: int) -> Json:
        looks = [called("look", {"at": f"door {turn % 4}"}, f"a door, {task} {turn}") for turn in range(10 - again)]
        looks += [called("look", {"at": "the gate"}, f"a gate, {task} {turn}") for turn in range(again)]
        items = [item for look in looks for item in look]
        told = response(*items, status="incomplete")
        return row(task, reward=0.0, response=told, stop="max_tool_calls", expected_answer=None, extracted_answer=None)

    rows = [_row(task, 2 + task % 3, passed=True) for task in range(24)]
    rows += [rollout(task, again=6 if task < 34 else 3) for task in range(24, 36)]
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["more_room"]
    assert (
        "A limit cut 12 rollouts at 10 turns of the model, and none of these passes. In 10 of them one call with "
        "the same arguments was made 5 times or more." in words(more_room.tell(answer))
    )


def test_what_the_limit_costs_is_held_against_the_run_that_may_use_more(tmp_path: Path) -> None:
    """Twelve tasks need nine turns or more: the run without a limit passes eight of them, the cut one none."""
    free = [_row(task, 2 + task % 3, passed=task % 4 > 0) for task in range(28)]
    free += [_row(task, 12 + task % 3, passed=task < 36) for task in range(28, 40)]
    cut = [_row(task, 2 + task % 3, passed=task % 4 > 0) for task in range(28)]
    cut += [_row(task, 9, passed=False, cut=True) for task in range(28, 40)]
    paths = [f"{name}={write(tmp_path / f'{name}.jsonl', rows)}" for name, rows in (("free", free), ("cut", cut))]
    told = words(more_room.tell(analysed(*paths).investigation["more_room"]))
    assert (
        "At the 12 tasks on which free uses more than 9 turns of the model on average, free passes 8 of 12 and cut 0 "
        "of 12; at the 28 other tasks 21 of 28 and 21 of 28: most of what it lacks lies there." in told
    ), told
