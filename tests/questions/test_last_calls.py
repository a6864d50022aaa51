"""Last calls that tasks share: what ends many different tasks word for word, in failures and not in passes."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import Json, analysed, write
from tests.questions.made_cases import called, case, run_of, task_row, words

from blade.diagnosis.cases import Case
from blade.questions import last_calls


def closing(arguments: str, answer: str = "") -> Json:
    return {"calls": [1, 3], "closing": ["run", arguments, answer]}


def rollouts(stopped: int, failed: int, passed: int) -> list[tuple[int, bool, Json]]:
    ends = [closing("blocked", "null")] * stopped
    ends += [closing(f"look {task}") for task in range(failed - stopped + passed)]
    return [(task, task >= failed, end) for task, end in enumerate(ends)]


def test_a_last_call_that_ends_many_tasks_is_told_with_both_counts() -> None:
    cases = [case(task, passed=ok, observed=seen) for task, ok, seen in rollouts(14, 20, 20)]
    answer = last_calls.ask([run_of("weak", cases)])
    assert answer is not None
    (one,) = answer["calls"]
    assert (one["failures"], one["of_failures"], one["passes"], one["of_passes"]) == (14, 20, 0, 20)
    told = words(last_calls.tell(answer))
    assert "14 of 20 failures of weak and 0 of 20 passes end with the same last call, run with blocked" in told
    assert "Median number of calls before it: 2 calls. Its answer is “null”." in told
    (first,) = last_calls.brief(answer)
    assert "14 of 20 failures of weak" in first.text


def test_how_passes_end_too_is_not_told() -> None:
    done = closing("done")
    cases = [case(task, passed=task % 2 == 0, observed=done) for task in range(40)]
    assert last_calls.ask([run_of("run", cases)]) is None


def test_a_last_call_of_few_tasks_is_not_asked_about() -> None:
    cases = [case(task, passed=ok, observed=seen) for task, ok, seen in rollouts(4, 20, 20)]
    assert last_calls.ask([run_of("run", cases)]) is None


def ended(task: int, *, passed: bool, handed_in: bool, before: bool = False) -> Case:
    seen = closing(f"look {task}") | ({"submitted": 1} if handed_in else {"submitted_before": 1} if before else {})
    return case(task, passed=passed, observed=seen)


def test_failures_that_never_hand_in_their_work_are_told_where_passes_do() -> None:
    cases = [ended(task, passed=True, handed_in=True) for task in range(12)]
    cases += [ended(task, passed=False, handed_in=task < 14) for task in range(12, 24)]
    answer = last_calls.ask([run_of("weak", cases)])
    assert answer is not None
    assert (
        "weak: 12 of 12 passes hand in or finish their work with one of their last two calls, and 2 of 12 failures "
        "(exact test p = 6.7e-05): the other failures end without that, 10 with no such call at all (14, 15, 16"
        in words(last_calls.tell(answer))
    )


def test_failures_that_hand_in_and_go_on_are_told_from_those_that_never_do() -> None:
    cases = [ended(task, passed=True, handed_in=True) for task in range(12)]
    cases += [ended(task, passed=False, handed_in=False, before=task < 15) for task in range(12, 24)]
    answer = last_calls.ask([run_of("weak", cases)])
    assert answer is not None
    told = words(last_calls.tell(answer))
    assert (
        "the other failures end without that, 9 with no such call at all and 3 with an earlier one only (12, 13" in told
    )


def test_nothing_is_told_of_handing_in_where_passes_do_without() -> None:
    cases = [ended(task, passed=True, handed_in=task < 8) for task in range(12)]
    cases += [ended(task, passed=False, handed_in=False) for task in range(12, 24)]
    assert last_calls.ask([run_of("run", cases)]) is None


def test_what_the_others_pass_and_which_runs_end_so_too_is_told() -> None:
    weak = [case(task, passed=ok, observed=seen) for task, ok, seen in rollouts(14, 20, 20)]
    rare = [case(task, passed=ok, observed=seen) for task, ok, seen in rollouts(2, 20, 20)]
    answer = last_calls.ask([run_of("weak", weak), run_of("rare", rare)])
    assert answer is not None
    told = words(last_calls.tell(answer))
    assert "Of the 26 rollouts of weak that end otherwise 20 pass (76.9%)." in told
    assert "Rollouts of other runs that end with it: rare 2 (none passes)." in told


def test_a_change_that_many_tasks_end_with_is_not_called_giving_up() -> None:
    cases = [case(task, passed=ok, observed=seen) for task, ok, seen in rollouts(14, 20, 20)]
    for one in cases:
        one.observed["closing"][0] = "create_event"
    answer = last_calls.ask([run_of("weak", cases)])
    assert answer is not None
    told = words(last_calls.tell(answer))
    assert "The same change in so many different tasks is hardly what each of them asks for (0, 1, 2" in told
    (first,) = last_calls.brief(answer)
    assert "gives up" not in told + first.text


def test_who_ends_the_rollouts_is_to_be_found_out_where_a_fifth_of_the_failures_end_so() -> None:
    cases = [case(task, passed=ok, observed=seen) for task, ok, seen in rollouts(8, 36, 40)]
    answer = last_calls.ask([run_of("weak", cases)])
    assert answer is not None
    (step,) = last_calls.advise(answer)
    assert step.change == (
        "Find out who ends rollouts of weak with run blocked: where the model gives up, have the harness ask it to go "
        "on; where another party ends them, let them go on"
    )
    assert step.because.text == (
        "8 of 36 failures and 0 of 40 passes end so, after 2 other calls (median; 0, 1, 2, 3, 4 and 3 more)."
    )
    assert (step.kind, step.rollouts, step.before_scores) == ("harness", 8, False)
    assert [told.text[:30] for told in last_calls.brief(answer)] == ["8 of 36 failures of weak and 0"]
    rare = {**answer, "calls": [{**answer["calls"][0], "of_failures": 41}]}
    assert (list(last_calls.advise(rare)), list(last_calls.brief(rare))) == ([], [])


def test_the_answer_before_a_shared_last_call_is_told_where_many_get_it(tmp_path: Path) -> None:
    def rollout(task: int) -> Json:
        before = called("run", {"command": f"dial jar{task}"}, "Command timed out" if task < 8 else f"jar {task} * lid")
        return task_row(task, before, called("run", {"command": "skip"}, "skipped"), passed=False)

    rows = [rollout(task) for task in range(12)]
    rows += [task_row(task, called("run", {"command": f"open {task}"}, "open"), passed=True) for task in range(12, 40)]
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["last_calls"]
    assert answer["calls"][0]["preceded"] == {
        "words": "Command timed out",
        "quote": "Command timed out",
        "rollouts": 8,
        "of": 12,
    }
    assert "In 8 of 12 of them the answer before it is “Command timed out”." in words(last_calls.tell(answer))
    (first,) = last_calls.brief(answer)
    assert 'run with {"command": "skip"}, 8 of them after “Command timed out”: the model gives up there' in first.text
