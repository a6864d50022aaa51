"""Tasks whose prompt allows more than one answer, held against the others."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from typing import Any

from tests.questions.made_cases import case, run_of, words

from blade.diagnosis.cases import Case, RunCases
from blade.extract.allowances import ANY_ANSWER, ANY_ORDER, DIALOGUE, TOLERANCE
from blade.findings import OF_VERIFIER
from blade.questions import lenient_prompts

PHRASES = {
    ANY_ANSWER: "print any of them",
    ANY_ORDER: "in any order",
    TOLERANCE: "absolute or relative error",
    DIALOGUE: "interactive problem",
}


def rollout(task: int, kind: str = "", *, passed: bool, result: str = "", prompt: int = 90) -> Case:
    properties: dict[str, Any] = {"prompt": prompt} | ({"allows": {kind: PHRASES[kind]}} if kind else {})
    recorded = {"result": {"kind": result, "got": "1.50", "expected": "1.5"}} if result else {}
    return case(task, passed=passed, observed={"task": properties, **recorded})


def run(name: str, cases: Iterable[Case], levels: Mapping[int, str] | None = None) -> RunCases:
    made = run_of(name, list(cases))
    named = {str(task): {"metadata.level": level} for task, level in (levels or {}).items()}
    made.known["task levels"] = {one.key: named.get(one.key, {}) for one in made.cases}
    return made


def others(passing: int, failing: int) -> list[Case]:
    """Rollouts at tasks that allow nothing."""
    return [rollout(100 + task, passed=task < passing) for task in range(passing + failing)]


def lenient(kind: str, passing: int, failing: int, result: str = "") -> list[Case]:
    return [
        rollout(task, kind, passed=task < passing, result="" if task < passing else result)
        for task in range(passing + failing)
    ]


def test_tasks_that_grant_a_tolerance_and_never_pass_are_told_with_what_the_tests_got() -> None:
    runs = [
        run(name, [*lenient(TOLERANCE, 0, 6, "rounding" if name == "red" else "other"), *others(30, 10)])
        for name in ("red", "blue")
    ]
    answer = lenient_prompts.ask(runs)
    assert answer is not None
    assert words(lenient_prompts.tell(answer)) == (
        "The prompts of 6 tasks grant a numeric tolerance (task 0: “absolute or relative error”): 0 of 12 rollouts "
        "pass, of those of the other 40 tasks 60 of 80; none of the 6 is passed by any run (0, 1, 2, 3, 4 and 5). That "
        "is beyond chance (exact test over tasks, p = 0.0034): they may be harder, or the verifier compares with one "
        "key and fails right answers. Passes at these and at the other tasks by run: red 0 of 6 and 30 of 40; blue 0 "
        "of 6 and 30 of 40. In 6 of the 12 failures whose result is recorded, the test that failed got the expected "
        "numbers but for their last places."
    )
    (head,) = lenient_prompts.brief(answer)
    assert head.text == (
        "Tasks whose prompt allows more than one answer pass less often than the others (60 of 80). They may be "
        "harder, or the verifier fails right answers: where the prompts grant a numeric tolerance, 0 of 12 rollouts "
        "(6 tasks, none passed by any run: 0, 1, 2, 3 and 2 more)."
    )
    (advice,) = lenient_prompts.advise(answer)
    assert advice.change == (
        "Have the verifier compare numbers within the tolerance that the prompt grants in 0, 1, 2, 3, 4 and 5, or set "
        "these tasks aside, and judge them again"
    )
    assert advice.because.text == (
        "Their prompts grant a numeric tolerance, and none of their 12 rollouts passes: a single key fails right "
        "answers."
    )
    assert advice.rollouts == 12
    faults = lenient_prompts.faults(answer)
    assert set(faults) == {"0", "1", "2", "3", "4", "5"}
    assert faults["0"].source == OF_VERIFIER


def test_some_passes_leave_the_other_tasks_in_doubt() -> None:
    answer = lenient_prompts.ask([run("red", [*lenient(ANY_ANSWER, 1, 7), *others(36, 4)])])
    assert answer is not None
    told = words(lenient_prompts.tell(answer))
    assert "1 of 8 rollouts pass, of those of the other 40 tasks 36 of 40; 7 of the 8 are passed by no run" in told
    assert "by run" not in told
    assert set(lenient_prompts.faults(answer)) == {"1", "2", "3", "4", "5", "6", "7"}


def test_a_dialogue_has_words_of_its_own() -> None:
    answer = lenient_prompts.ask([run(name, [*lenient(DIALOGUE, 0, 3), *others(40, 2)]) for name in ("red", "blue")])
    assert answer is not None
    assert "feeds a fixed input, compares the output and fails right programs." in words(lenient_prompts.tell(answer))


def test_results_that_no_verifier_could_accept_are_no_fault_of_it() -> None:
    nothing = lenient_prompts.ask([run("red", [*lenient(ANY_ANSWER, 0, 8, "nothing"), *others(36, 4)])])
    other = lenient_prompts.ask([run("red", [*lenient(TOLERANCE, 0, 8, "other"), *others(36, 4)])])
    assert nothing is not None
    assert other is not None
    for answer in (nothing, other):
        assert lenient_prompts.faults(answer) == {}
        assert not list(lenient_prompts.advise(answer))


def test_tasks_that_pass_as_often_as_the_others_are_not_told() -> None:
    assert lenient_prompts.ask([run("red", [*lenient(ANY_ORDER, 6, 2), *others(30, 10)])]) is None
    assert lenient_prompts.ask([run("red", [*lenient(ANY_ORDER, 8, 0), *others(10, 30)])]) is None


def test_few_tasks_say_nothing() -> None:
    assert lenient_prompts.ask([run("red", [*lenient(TOLERANCE, 0, 4), *others(200, 0)])]) is None
    assert lenient_prompts.ask([run("red", [*lenient(TOLERANCE, 0, 8), *others(6, 2)])]) is None


def test_tasks_of_a_hard_level_are_held_against_those_of_that_level() -> None:
    cases = [*lenient(TOLERANCE, 0, 8), *others(60, 20)]
    hard = {int(one.key): "hard" if not one.passed else "easy" for one in cases}
    assert lenient_prompts.ask([run("red", cases, hard)]) is None
    mixed = {int(one.key): "hard" if int(one.key) % 3 else "easy" for one in cases}
    answer = lenient_prompts.ask([run("red", cases, mixed)])
    assert answer is not None
    assert "(exact test over tasks, each metadata.level by itself, p " in words(lenient_prompts.tell(answer))


def test_prompts_that_all_allow_it_or_are_unknown_have_nothing_to_be_held_against() -> None:
    assert lenient_prompts.ask([run("red", lenient(ANY_ANSWER, 4, 20))]) is None
    unknown = [rollout(100 + task, passed=True, prompt=0) for task in range(40)]
    assert lenient_prompts.ask([run("red", [*lenient(ANY_ANSWER, 0, 8), *unknown])]) is None


def test_outcomes_dealt_out_by_chance_are_hardly_ever_told() -> None:
    chance = random.Random(5)
    told = 0
    for _ in range(200):
        tasks = [(task, chance.choice(["", "", *PHRASES]), chance.random()) for task in range(60)]
        rows = [rollout(task, kind, passed=chance.random() < rate) for task, kind, rate in tasks for _ in range(4)]
        told += lenient_prompts.ask([run("red", rows)]) is not None
    assert told <= 2
