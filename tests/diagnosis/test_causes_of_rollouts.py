"""Labels of single rollouts: what questions name, what the run does in another attempt, which instruction is broken."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from tests.diagnosis.made_cases import case, run_of

from blade.diagnosis.broken_checks import BROKEN, broken_checks
from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.own_passes import ELSEWHERE, own_passes
from blade.diagnosis.question_causes import known_causes
from blade.diagnosis.unanswerable import filled_in
from blade.findings import TaskFault

CALLS = ("shop(jars)",)


def attempts(*passed: bool, task: str = "t", name: str = "a", **more: Any) -> list[Case]:
    """Attempts over calls, in order."""
    given = {"actions": CALLS, "observed_json": "{}", **more}
    return [case(task, place, float(good), name, **given) for place, good in enumerate(passed)]


def labelled(*runs: RunCases, faults: dict[str, TaskFault] | None = None, unclean: Sequence[str] = ()) -> list[int]:
    """The attempts whose cause is that another attempt of the run passes."""
    causes = own_passes(runs, frozenset(), faults or {}, unclean)
    assert all((cause.label, cause.rule) == ("BI", ELSEWHERE) for cause in causes.values())
    return [made.attempt for run in runs for made in run.cases if id(made) in causes]


def test_a_failure_over_calls_is_its_own_doing_where_another_attempt_of_the_run_passes() -> None:
    run = run_of(*attempts(True, False, False))
    assert labelled(run) == [1, 2]
    (cause, _) = own_passes([run], frozenset(), {}).values()
    assert cause.why == "a passes this task in 1 of 3 attempts, so that what this one did lost it"


def test_nothing_is_said_where_the_attempt_may_not_be_what_lost_it() -> None:
    assert labelled(run_of(*attempts(False, False))) == []
    assert labelled(run_of(*attempts(True, False, actions=()))) == []
    assert labelled(run_of(*attempts(True, False, state="truncated"))) == []
    assert labelled(run_of(*attempts(True, False, cut_at=30))) == []
    assert labelled(run_of(*attempts(True, False)), faults={"t": TaskFault("the key is wrong")}) == []
    other_run = TaskFault("the key is wrong", runs=("b",))
    assert labelled(run_of(*attempts(True, False)), faults={"t": other_run}) == [1]


def test_an_attempt_after_the_passes_may_find_what_they_left_behind() -> None:
    run = run_of(*attempts(False, True, False))
    assert labelled(run, unclean=["a"]) == [0]
    assert labelled(run) == [0, 2]


def test_the_answer_of_most_rollouts_in_several_runs_may_be_right() -> None:
    first = run_of(*attempts(True, False, False), name="a")
    second = run_of(*attempts(False, False, name="b"), name="b")
    for made in (*first.cases, *second.cases):
        made.answer = "7" if made.passed else "8"
    assert labelled(first, second) == []
    second.cases[0].answer = second.cases[1].answer = "9"
    assert labelled(first, second) == [1, 2]


def test_the_patch_of_a_pass_is_no_failure_of_the_agent() -> None:
    patch = json.dumps({"patches": {"diff": [1, 1, 0, 9, "", 0, 0, 77]}})
    run = run_of(*attempts(True, False, observed_json=patch))
    assert labelled(run) == []


def checked(name: str, *met: str, argument: int = 1) -> RunCases:
    """Rollouts by which checks they meet: "+-" the first and not the second."""
    cases = []
    for place, marks in enumerate(met):
        verdicts = dict(zip(("plums", "jars"), (mark == "+" for mark in marks), strict=True))
        record = {
            "check_arguments": [[check, int(good), "n", "3", argument, 0, ""] for check, good in verdicts.items()]
        }
        made = case("t", place, float(all(verdicts.values())), name, observed_json=json.dumps(record))
        made.checks_json = json.dumps(verdicts)
        cases.append(made)
    return run_of(*cases, name=name)


def test_a_stated_check_that_another_rollout_meets_beside_all_else_is_an_instruction_not_followed() -> None:
    run = checked("a", "++", "+-", "-+")
    causes = broken_checks([run])
    assert [(causes[id(made)].label, causes[id(made)].rule) for made in run.cases[1:]] == [("BI", BROKEN)] * 2
    assert causes[id(run.cases[1])].why == "does not meet “jars”, which others meet at this task with all that it meets"


def test_checks_that_nobody_meets_together_or_that_prompts_do_not_state_say_nothing() -> None:
    assert broken_checks([checked("a", "+-", "-+")]) == {}
    assert broken_checks([checked("a", "++", "+-", argument=0)]) == {}


def answering(*answers: str) -> list[Case]:
    """Attempts at a task that has no answer; "none" is right."""
    cases = []
    for place, text in enumerate(answers):
        kind = "none" if text == "none" else "number"
        seen = {"answer": {"text": text, "kind": kind, "key_kind": "none", "meets": "text" if kind == "none" else ""}}
        cases.append(case("t", place, float(kind == "none"), observed_json=json.dumps(seen)))
    return cases


def test_what_has_no_answer_is_filled_in_where_other_attempts_say_so() -> None:
    run = run_of(*answering("none", "12", "24"))
    causes = filled_in([run])
    assert [(causes[id(made)].label, causes[id(made)].why) for made in run.cases[1:]] == [
        ("BI", "answers “12” where there is no answer, as other attempts say"),
        ("BI", "answers “24” where there is no answer, as other attempts say"),
    ]
    assert filled_in([run_of(*answering("12", "24"))]) == {}


def test_what_speaks_of_the_measurement_comes_before_what_speaks_of_the_model() -> None:
    run = run_of(*attempts(True, False, False, False))
    answers = {
        "first": {"causes": [{"label": "BI", "why": "forgets the lid", "rollouts": [["a", "t", 1], ["a", "t", 2]]}]},
        "second": {"causes": [{"label": "TI", "why": "compares the order", "rollouts": [["a", "t", 2]]}]},
    }
    causes = known_causes([run], answers, {})
    assert [(causes[id(made)].label, causes[id(made)].rule) for made in run.cases[1:]] == [
        ("BI", "first"),
        ("TI", "second"),
        ("BI", ELSEWHERE),
    ]


def test_a_cause_that_a_question_names_is_not_given_to_a_rollout_that_never_ran() -> None:
    run = run_of(*attempts(False, state="infrastructure"))
    answers = {"first": {"causes": [{"label": "BI", "why": "forgets the lid", "rollouts": [["a", "t", 0]]}]}}
    assert known_causes([run], answers, {}) == {}
