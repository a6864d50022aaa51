"""The same calls, or the same result, with two verdicts; and attempts that are copies."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.gym_rows import Json, analysed, message, response, row, write
from tests.questions.made_cases import called, case, run_of, words

from blade.counting.audit.attempts import NOT_JUDGED
from blade.diagnosis.cases import Case
from blade.questions import equal_work


def attempt(number: int, *, passed: bool, calls: tuple[int, int] = (1, 5), judged: bool = True, **seen: Any) -> Case:
    made = case(7, passed=passed, observed={"calls": list(calls), **seen})
    made.attempt = number
    if not judged:
        made.stage_lost, made.reason = NOT_JUDGED, "the verifier left no results"
    return made


def test_equal_calls_of_which_one_has_no_verdict() -> None:
    answer = equal_work.ask([run_of("run", [attempt(0, passed=True), attempt(1, passed=False, judged=False)])])
    assert answer is not None
    assert answer["calls"] == [
        {
            "task": "7",
            "other": "none",
            "passed": {"run": [0]},
            "against": {"run": [1]},
            "reason": "the verifier left no results",
            "calls": 5,
        }
    ]
    assert words(equal_work.tell(answer)) == (
        "7: attempts 0 and 1 of run make the same 5 calls, with the same arguments; attempt 0 passes, attempt 1 gets "
        "no verdict (the verifier left no results): its zero is the verifier's, not the work's."
    )


def test_a_run_whose_attempts_are_often_equal_is_named_and_one_with_a_few_is_not() -> None:
    often = [attempt(0, passed=True), attempt(1, passed=True), attempt(2, passed=False)]
    answer = equal_work.ask([run_of("run", often)])
    assert answer is not None
    assert (
        "In run 3 of 3 pairs of attempts at one task make identical calls (7): more attempts at these tasks"
        in words(equal_work.tell(answer))
    )
    seldom = [attempt(0, passed=True), attempt(1, passed=True)]
    seldom += [attempt(place, passed=True, calls=(place, 5)) for place in range(2, 8)]
    assert equal_work.ask([run_of("run", seldom)]) is None, "1 pair of 28"


def test_equal_calls_that_fail_are_told_apart_from_those_without_a_verdict() -> None:
    made = [attempt(0, passed=True), attempt(1, passed=True), attempt(2, passed=False), attempt(3, passed=False)]
    answer = equal_work.ask([run_of("run", made)])
    assert answer is not None
    assert "attempts 0 and 1 pass, attempts 2 and 3 fail: the verdict depends on" in words(equal_work.tell(answer))
    assert answer["pairs"] == [{"run": "run", "pairs": 6, "equal": 6, "tasks": ["7"]}]


def test_few_calls_and_other_calls_are_not_the_same_work() -> None:
    short = [attempt(0, passed=True, calls=(1, 2)), attempt(1, passed=False, calls=(1, 2))]
    answer = equal_work.ask([run_of("run", short)])
    assert answer is not None
    assert not answer["calls"], "two calls are too few to be called work"
    other = [attempt(0, passed=True, calls=(1, 5)), attempt(1, passed=False, calls=(2, 5))]
    assert equal_work.ask([run_of("run", other)]) is None


def test_the_figure_of_passes_in_an_attempt_without_a_verdict() -> None:
    right, wrong = "11.428571428571429", "10.99999999"
    made = [
        attempt(0, passed=True, calls=(1, 5), values=[right]),
        attempt(1, passed=False, calls=(2, 5), values=[wrong]),
        attempt(2, passed=False, calls=(3, 5), values=[wrong, right], judged=False),
    ]
    answer = equal_work.ask([run_of("run", made)])
    assert answer is not None
    assert [(one["value"], one["passed"], one["against"]) for one in answer["results"]] == [
        (right, {"run": [0]}, {"run": [2]})
    ]
    assert "come to the same value, 11.428571428571429, which no judged failure of the task shows" in words(
        equal_work.tell(answer)
    )
    made[1] = attempt(1, passed=False, calls=(2, 5), values=[right])
    assert equal_work.ask([run_of("run", made)]) is None, "failures show it, too"


def test_a_first_call_that_passes_once_and_not_again_where_only_a_pass_ends_an_attempt() -> None:
    made = [attempt(0, passed=True, calls=(1, 1), first=5), attempt(1, passed=False, calls=(2, 10), first=5)]
    run = run_of("run", made)
    assert equal_work.ask([run]) is None
    run.known["endings"] = frozenset({"turn_limit"})
    answer = equal_work.ask([run])
    assert answer is not None
    assert words(equal_work.tell(answer)) == (
        "7: attempts 0 and 1 of run begin with the same call and get the same answer; attempt 0 passes with it, "
        "attempt 1 fails: the verdict depends on something other than the calls."
    )


def test_another_answer_to_the_same_call_is_no_equal_work() -> None:
    made = [attempt(0, passed=True, calls=(1, 1), first=5), attempt(1, passed=False, calls=(2, 10), first=6)]
    run = run_of("run", made)
    run.known["endings"] = frozenset({"turn_limit"})
    assert equal_work.ask([run]) is None


def handed_in(task: int, codes: list[str], scores: list[float]) -> Json:
    items = [item for code in codes for item in called("submit", {"code": code}, "not yet")]
    verifier = {"turn_rewards": scores}
    made = row(task, reward=max(scores), response=response(*items), verifier=verifier)
    return made | {"expected_answer": None, "extracted_answer": None}


def test_the_same_step_that_is_scored_otherwise_when_it_is_made_again(tmp_path: Path) -> None:
    code, other = ("def total(values): return sum(values) # " + name for name in ("one", "two"))
    rows = [handed_in(task, [code, code], [0.0, 1.0]) for task in range(3)]
    rows += [handed_in(3, [code, other], [0.0, 1.0]), handed_in(4, ["left", "left"], [0.0, 1.0])]
    rows += [handed_in(5, [code, code], [0.0, 0.0]), handed_in(6, [code, code, code], [0.0, 1.0])]
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["equal_work"]
    assert words(equal_work.tell(answer)) == (
        "In 3 rollouts of one (0, 1 and 2) a step hands in the same as the one before, word for word, and is scored "
        "otherwise (task 0: 0, then 1); 3 of them pass: what the verifier keeps between the steps changed the verdict, "
        "and not the work."
    )
    (found,) = equal_work.health(answer)
    assert (found["check"], found["tasks"], found["run"]) == ("flaky_verifier", ["0", "1", "2"], "one")


@pytest.mark.parametrize(
    "command",
    ["cat the/jars/in/the/cellar.txt | sort >> list.txt", "ln -s /cellar/jars/of/last/year /kitchen/jars/of/last/year"],
)
def test_a_command_that_leaves_something_behind_does_not_do_the_same_again(tmp_path: Path, command: str) -> None:
    rows = [handed_in(task, [command, command], [0.0, 1.0]) for task in range(3)]
    assert "equal_work" not in analysed(write(tmp_path / "one.jsonl", rows)).investigation


def test_equal_calls_are_told_apart_by_the_words_that_follow_them(tmp_path: Path) -> None:
    calls = [part for n in range(4) for part in called("look", {"at": f"door {n}"}, f"a door {n}")]

    def work(task: int, attempt: int, text: str, passed: bool) -> Json:
        names = {"expected_answer": None, "extracted_answer": None}
        return row(task, attempt, float(passed), response=response(*calls, message(text)), **names)

    rows = [work(0, 0, "It is oak.", True), work(0, 1, "It is oak.", False)]
    rows += [work(1, 0, "It is oak.", True), work(1, 1, "It is ash.", False)]
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["equal_work"]
    assert [(entry["task"], entry["same_words"]) for entry in answer["calls"]] == [("0", True), ("1", False)]
    text = words(equal_work.tell(answer))
    assert "fails, and passes and failures end on the same words: the verdict depends on something else." in text
    assert "fails: what they say last differs, or something else that is not in the calls decides." in text


def test_the_last_words_of_a_user_are_not_the_models(tmp_path: Path) -> None:
    calls = [part for n in range(4) for part in called("look", {"at": f"door {n}"}, f"a door {n}")]

    def work(attempt: int, text: str, passed: bool) -> Json:
        names = {"expected_answer": None, "extracted_answer": None}
        said = (*calls, message(text), message("Thanks, goodbye.", "user"))
        return row(0, attempt, float(passed), response=response(*said), **names)

    rows = [work(0, "It costs $7.", True), work(1, "It costs 7 dollars.", False)]
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["equal_work"]
    (entry,) = answer["calls"]
    assert "same_words" not in entry
    assert "end on the same words" not in words(equal_work.tell(answer))
