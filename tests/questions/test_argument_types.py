"""Declared types whose values fail, and the forms in which they are written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from tests.detectors.attempts import tool
from tests.gym_rows import analysed, message, write
from tests.questions.made_cases import case, run_of, task_row, words

from blade.diagnosis.cases import Case, RunCases
from blade.questions import argument_types


def rollout(task: int, forms: Mapping[str, str] | None, *, passed: bool) -> Case:
    written = {name: {form: 1} for name, form in (forms or {}).items()}
    return case(task, passed=passed, observed={"argument_types": written} if written else {})


def run(name: str, cases: Iterable[Case], levels: Mapping[int, str] | None = None) -> RunCases:
    made = run_of(name, list(cases))
    recorded = {str(task): {"metadata.kind": level} for task, level in (levels or {}).items()}
    made.known["task levels"] = {rolled.key: recorded.get(rolled.key, {}) for rolled in made.cases}
    return made


def filled(name: str, form: str, passing: int, failing: int, start: int = 0) -> list[Case]:
    tasks = range(passing + failing)
    return [rollout(start + task, {"integer": "number", name: form}, passed=task < passing) for task in tasks]


def plain(passing: int, failing: int) -> list[Case]:
    """Rollouts whose calls fill a number and nothing else."""
    return [rollout(100 + task, {"integer": "number"}, passed=task < passing) for task in range(passing + failing)]


def test_a_type_that_fails_in_every_form_is_the_checkers_or_the_prompts_matter() -> None:
    answer = argument_types.ask(
        [
            run("red", [*filled("long", "number", 0, 6), *plain(30, 10)]),
            run("blue", [*filled("long", "quoted number", 0, 6), *plain(32, 8)]),
        ]
    )
    assert answer is not None
    assert words(argument_types.tell(answer)) == (
        "0 of 12 rollouts of 6 tasks with a call that fills a parameter declared as “long” pass, of those with other "
        "calls 62 of 80 (exact test, p < 0.0001): written as a number, red 0 of 6; as a quoted number, blue 0 of 6; "
        "no form that was tried passes: look at the checker and at what the prompt says about how to write it. "
        "No run passes any of the 6 tasks (0, 1, 2, 3, 4 and 5). "
        "Passes with and without such a value by run: red 0 of 6 and 30 of 40; blue 0 of 6 and 32 of 40. "
        "The test takes each run by itself, and shows the same where each task counts once; such tasks may be harder, "
        "too."
    )
    (advice,) = argument_types.advise(answer)
    assert advice.kind == "verifier"
    assert advice.rollouts == 12
    assert advice.change == (
        "Try the verifier on a right call with a value declared as “long”, repair it where it fails it, and say in the "
        "prompt how such a value is written"
    )
    (head,) = argument_types.brief(answer)
    assert head.text == (
        "0 of 12 rollouts of 6 tasks with a call that fills a parameter declared as “long” pass, of those with other "
        "calls 62 of 80 (exact test, p < 0.0001)."
    )


def test_forms_that_pass_and_forms_that_fail_are_told_apart() -> None:
    red = [*filled("Array", "list", 0, 9), *filled("Array", "name", 3, 0, 20), *plain(57, 3)]
    blue = [*filled("Array", "quoted list", 0, 9), *filled("Array", "quoted name", 3, 0, 20), *plain(57, 3)]
    answer = argument_types.ask([run("red", red), run("blue", blue)])
    assert answer is not None
    said = words(argument_types.tell(answer))
    assert (
        "So a bare name or one quoted word mostly passes (6 of 6 rollouts) and a list or a quoted list hardly ever (0 "
        "of 18). No run passes 9 of the 12 tasks (0, 1, 2, 3, 4, 5, 6, 7 and 8)." in said
    )
    assert "no form that was tried" not in said
    (advice,) = argument_types.advise(answer)
    assert (advice.kind, advice.rollouts) == ("prompt", 18)
    assert advice.change == (
        "Say in the prompt how a value declared as “Array” is written, with an example, or let the verifier accept the "
        "other form"
    )


def test_a_form_that_loses_in_one_run_is_told_although_the_type_passes() -> None:
    red = [*filled("boolean", "True", 0, 8), *filled("boolean", "true", 30, 0, 20), *plain(30, 10)]
    blue = [*filled("boolean", "quoted true", 7, 1), *filled("boolean", "quoted true", 30, 0, 20), *plain(30, 10)]
    answer = argument_types.ask([run("red", red), run("blue", blue)])
    assert answer is not None
    assert answer["types"] == []
    assert words(argument_types.tell(answer)) == (
        "Calls that write a value declared as “boolean” as capitalised True or False mostly fail: red 0 of 8 (tasks 0, "
        "1, 2, 3, 4, 5, 6 and 7); written as lower-case true or false, red 30 of 30 (exact test, each run by itself, p "
        "< 0.0001). The other runs, which write it otherwise, pass 7 of 8 rollouts of these tasks."
    )
    (advice,) = argument_types.advise(answer)
    assert (advice.kind, advice.rollouts) == ("prompt", 8)
    assert not list(argument_types.brief(answer))


def test_a_form_that_a_run_always_writes_says_nothing_beyond_the_run() -> None:
    red = [*filled("boolean", "True", 2, 18), *plain(4, 36)]
    blue = [*filled("boolean", "true", 18, 2), *plain(36, 4)]
    assert argument_types.ask([run("red", red), run("blue", blue)]) is None


def test_a_type_that_passes_as_often_or_has_few_tasks_is_not_told() -> None:
    assert argument_types.ask([run("red", [*filled("long", "number", 6, 2), *plain(30, 10)])]) is None
    assert argument_types.ask([run("red", [*filled("long", "number", 0, 4), *plain(400, 0)])]) is None
    assert argument_types.ask([run("red", [*filled("long", "number", 0, 8), *plain(0, 10)])]) is None
    assert argument_types.ask([run("red", [*filled("long", "number", 34, 6), *plain(398, 2)])]) is None


def test_repeats_of_a_few_hard_tasks_are_no_new_evidence() -> None:
    runs = [run(name, [*filled("long", "number", 0, 5), *plain(12, 8)]) for name in ("red", "blue", "grey", "teal")]
    assert argument_types.ask(runs) is None


def test_tasks_of_a_hard_kind_are_held_against_those_of_that_kind() -> None:
    tasks = [*range(10), *range(100, 150)]
    cases = [*filled("long", "number", 0, 10), *plain(40, 10)]
    hard = {task: "hard" if task < 10 or task >= 140 else "easy" for task in tasks}
    assert argument_types.ask([run("red", cases)]) is not None
    assert argument_types.ask([run("red", cases, hard)]) is None
    mixed = {task: "java" if task < 130 else "other" for task in tasks}
    answer = argument_types.ask([run("red", cases, mixed)])
    assert answer is not None
    assert words(argument_types.tell(answer)).startswith("Where metadata.kind is java, 0 of 10 rollouts of 10 tasks")


def test_rows_without_declared_types_and_runs_whose_passes_have_none_say_nothing() -> None:
    assert argument_types.ask([run("red", [rollout(task, None, passed=task > 5) for task in range(40)])]) is None
    failures = [*filled("long", "number", 0, 8), *[rollout(100 + task, None, passed=True) for task in range(80)]]
    assert argument_types.ask([run("red", failures)]) is None


def test_an_example_is_read_out_of_the_row(tmp_path: Path) -> None:
    offer = {
        "input": [{"role": "user", "content": "Fire the kiln."}],
        "tools": [tool("kiln.fire", heat="integer", room="long")],
    }
    rows = []
    for task in range(60):
        text = "[kiln.fire(heat=900, room=7)]" if task < 10 else "[kiln.fire(heat=900)]"
        rows.append(task_row(task, [message(text)], passed=task >= 14, responses_create_params=offer))
    answer = analysed(write(tmp_path / "red.jsonl", rows)).investigation["argument_types"]
    assert answer["types"][0]["example"] == {"task": "0", "run": "red", "parameter": "room", "words": "7"}
    assert words(argument_types.tell(answer)).endswith("For example, red fails task 0 with room = 7.")
