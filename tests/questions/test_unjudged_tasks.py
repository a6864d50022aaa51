"""Tasks whose rollouts got no verdict: in which runs, and at which second the clock stood."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import Json, analysed, response, row, write
from tests.questions.made_cases import words

from blade.questions import unjudged_tasks


def _row(task: str, attempt: int, passed: bool | None, minutes: float = 2.0) -> Json:
    begun = f"2026-03-04T05:00:{attempt:02d}+00:00"
    ended = f"2026-03-04T05:{int(minutes):02d}:{attempt + round(minutes % 1 * 60):02d}+00:00"
    results = None if passed is None else {"bell_rings": "passed" if passed else "failed", "door_opens": "passed"}
    return row(
        sum(map(ord, task)),
        attempt,
        None if passed is None else float(passed),
        task_id=task,
        expected_answer=None,
        verifier={"test_results": results},
        timing={"inspection_started_at": begun, "inspection_ended_at": ended},
    )


def _judged(task: str, run: int) -> list[Json]:
    return [_row(task, attempt, bool((attempt + run) % 2), 1 + attempt / 10) for attempt in range(4)]


def test_a_task_that_several_runs_leave_unjudged_is_named_with_the_second_at_which_the_clock_stood(
    tmp_path: Path,
) -> None:
    runs = []
    for number, name in enumerate(("early", "late")):
        rows = [one for task in ("attic", "cellar", "garden") for one in _judged(task, number)]
        rows += [_row("tower", attempt, None, 9.0) for attempt in range(2 + number)]
        rows += [_row("tower", 3, False)]
        rows += [_row("stable", 0, None, 4.0), _row("stable", 1, True)] if number else [_row("stable", 1, True)]
        runs.append(f"{name}={write(tmp_path / f'{name}.jsonl', rows)}")
    answer = analysed(*runs).investigation["unjudged_tasks"]
    text = words(unjudged_tasks.tell(answer))
    assert "6 of 34 rollouts got no verdict, in 2 tasks: tower 5 of 7 (early 2 and late 3)" in text, text
    assert "stable 1 of 3 (late 1; 2 of 2 judged pass)" in text
    assert (
        "1 task is affected in several runs, which points to the task or its verifier rather than to an outage." in text
    )
    assert "The clock of “timing.inspection” stops at 540 s in 5 of them, where 0 of the judged 28 stop." in text


def test_few_of_many_unjudged_rollouts_at_one_second_stand_there_by_chance(tmp_path: Path) -> None:
    rows = [_row(task, n, bool(n % 2), 1 + n) for task in ("attic", "cellar", "garden", "loft") for n in range(18)]
    rows += [_row("tower", n, None, 20.0 if n < 3 else 21 + n) for n in range(24)]
    rows += [_row("keep", n, None, 21 + n) for n in range(24)]
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["unjudged_tasks"]
    assert answer["lost"] == 48
    assert not answer["heaps"], "three of 48 at 1,200 seconds"


def test_rows_that_never_started_are_none_of_the_judged_and_a_second_is_that_second(tmp_path: Path) -> None:
    rows = [one for task in ("attic", "cellar", "garden") for one in _judged(task, 0)]
    rows += [_row("gate", 0, True, 9 + 1 / 60), _row("tower", 3, False)]
    rows += [_row("tower", attempt, None, 9.0) for attempt in range(3)]
    never = {"response": response(), "error": "Connection reset by peer", "verifier": None}
    rows += [_row(task, 4, False, 9.0) | never for task in ("attic", "cellar", "garden", "tower")]
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["unjudged_tasks"]
    text = words(unjudged_tasks.tell(answer))
    assert "3 of 21 rollouts got no verdict" in text
    assert "stops at 540 s in 3 of them, where 0 of the judged 14 stop." in text


def test_runs_that_were_judged_throughout_say_nothing(tmp_path: Path) -> None:
    rows = [one for task in ("attic", "cellar", "garden") for one in _judged(task, 0)]
    assert "unjudged_tasks" not in analysed(write(tmp_path / "one.jsonl", rows)).investigation


def test_a_second_at_which_others_ran_out_of_time_is_told_with_passes_and_failures_that_say_so(tmp_path: Path) -> None:
    late = {"_translated": {"status": "timed_out", "reason": "ClockRanOut"}}
    rows = [_row("room" + number * "x", 0, number > 2, 9.0) | late for number in range(4)]
    rows += [_row("hall" + number * "x", 0, number % 2 == 0, 1 + number / 60) for number in range(40)]
    rows += [_row("yard" + number * "x", 0, None, 9.0) for number in range(3)]
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["unjudged_tasks"]
    assert (
        "stops at 540 s in 3 of them, where 4 of the judged 44 stop, 4 of these said to have run out of time."
        in words(unjudged_tasks.tell(answer))
    )
