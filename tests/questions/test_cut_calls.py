"""Calls that a time limit cut: how many, where, and how those rollouts end."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import Json, analysed, message, response, row, write
from tests.questions.made_cases import called, words

from blade.questions import cut_calls

KILLED = "The last command timed out and has been killed.\nTry another one."


def rollout(task: int, *, passed: bool, cut: int) -> Json:
    items = [item for number in range(3) for item in called("run", {"n": number}, KILLED if number < cut else "done")]
    return row(task, 0, float(passed), response=response(*items))


def test_cut_calls_are_counted_with_the_outcomes_of_both_sides(tmp_path: Path) -> None:
    rows = [rollout(task, passed=task >= 8, cut=2 if task < 6 else 0) for task in range(20)]
    answer = analysed(write(tmp_path / "run.jsonl", rows)).investigation["cut_calls"]
    (run,) = answer["runs"]
    keys = ("calls", "rollouts", "acting", "tasks", "passes", "other_rollouts", "other_passes", "quote")
    assert [run[key] for key in keys] == [12, 6, 20, 6, 0, 14, 12, "The last command timed out and has been killed."]
    said = words(cut_calls.tell(answer)).removeprefix(f"In {run['run']} ")
    assert said == (
        "the outputs of 12 commands or calls in 6 of the 20 rollouts that make calls say that they timed out or were "
        "killed at a time limit (6 tasks): 0 of the 6 pass (0.0%), 12 of the 14 others (85.7%). Cut in at least half "
        "of their attempts and never passed in this run: 0, 1, 2, 3, 4 and 5."
    )


def test_a_few_cut_calls_are_not_told(tmp_path: Path) -> None:
    rows = [rollout(task, passed=task >= 8, cut=1 if task < 4 else 0) for task in range(20)]
    assert "cut_calls" not in analysed(write(tmp_path / "run.jsonl", rows)).investigation


def test_a_task_that_passes_without_a_call_is_not_called_never_passed(tmp_path: Path) -> None:
    rows = [rollout(task, passed=False, cut=1) for task in range(6)]
    rows.append(row(0, 1, 1.0, response=response(message("done"))))
    (run,) = analysed(write(tmp_path / "run.jsonl", rows)).investigation["cut_calls"]["runs"]
    assert (run["acting"], run["worst"]) == (6, ["1", "2", "3", "4", "5"])


def test_tasks_that_another_run_passes_are_told_and_the_limit_is_to_be_raised(tmp_path: Path) -> None:
    cut = [rollout(task, passed=False, cut=1) for task in range(6)]
    cut[5]["reward"] = None
    other = [rollout(task, passed=task == 0, cut=0) for task in range(6)]
    paths = [f"{name}={write(tmp_path / f'{name}.jsonl', rows)}" for name, rows in (("b", other), ("a", cut))]
    answer = analysed(*paths).investigation["cut_calls"]
    (run,) = answer["runs"]
    assert (run["worst"], run["passed_elsewhere"]) == (["0", "1", "2", "3", "4"], ["0 (b 1 of 1)"])
    assert "Of these, other runs pass 0 (b 1 of 1): there the limit may decide." in words(cut_calls.tell(answer))
    (advice,) = cut_calls.advise(answer)
    assert (advice.kind, advice.rollouts) == ("harness", 5)
    assert advice.because.text == "It ends calls of 5 judged failures: a 5 calls in 5 rollouts."


def repeated(task: int, attempt: int, *, passed: bool, cut: int) -> Json:
    return rollout(task, passed=passed, cut=cut) | {"_ng_rollout_index": attempt}


def test_the_limit_decides_nothing_where_a_failure_has_no_cut_call(tmp_path: Path) -> None:
    """Task 0 fails with and without a cut call, task 1 only with one; the other run passes both."""
    cut = [repeated(task, attempt, passed=False, cut=1) for task in range(6) for attempt in range(2)]
    cut[1] = repeated(0, 1, passed=False, cut=0)
    other = [repeated(task, 0, passed=task < 2, cut=0) for task in range(6)]
    paths = [f"{name}={write(tmp_path / f'{name}.jsonl', rows)}" for name, rows in (("b", other), ("a", cut))]
    answer = analysed(*paths).investigation["cut_calls"]
    (run,) = answer["runs"]
    assert run["worst"][-1] == "0"
    assert (run["always"], run["passed_elsewhere"]) == (["1", "2", "3", "4", "5"], ["1 (b 1 of 1)"])
    assert "In 1, 2, 3, 4 and 5 every judged failure of this run that records calls has a cut one." in words(
        cut_calls.tell(answer)
    )


def test_a_test_inside_tasks_that_rests_on_one_task_is_not_made(tmp_path: Path) -> None:
    rows = [repeated(task, attempt, passed=False, cut=1) for task in range(5) for attempt in range(2)]
    rows += [repeated(5, attempt, passed=attempt == 1, cut=attempt % 2) for attempt in range(4)]
    answer = analysed(write(tmp_path / "run.jsonl", rows)).investigation["cut_calls"]
    (run,) = answer["runs"]
    assert (run["p"], run["telling_tasks"]) == (None, 1)
    told = words(cut_calls.tell(answer))
    assert "Within tasks nothing is shown either way: only 1 task has passes and failures" in told
    assert "exact test" not in told


def test_a_cut_that_passes_overcome_as_often_is_no_limit_to_raise(tmp_path: Path) -> None:
    """In half of the attempts a call is cut and made again; task 0 fails with it both times and passes elsewhere."""
    own = [repeated(task, attempt, passed=task > 0, cut=attempt % 2) for task in range(12) for attempt in range(2)]
    own[0] = repeated(0, 0, passed=False, cut=1)
    other = [repeated(task, attempt, passed=True, cut=0) for task in range(12) for attempt in range(2)]
    paths = [f"{name}={write(tmp_path / f'{name}.jsonl', rows)}" for name, rows in (("b", other), ("a", own))]
    answer = analysed(*paths).investigation["cut_calls"]
    (run,) = answer["runs"]
    assert run["passed_elsewhere"] == ["0 (b 2 of 2)"]
    assert "the limit may decide" not in words(cut_calls.tell(answer))
    assert list(cut_calls.advise(answer)) == []
