"""Verdicts that the answer does not explain, and answers on which everybody agrees against the key."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.gym_rows import ABSENT, Json, analysed, message, response, row, write
from tests.questions.made_cases import case as made_case
from tests.questions.made_cases import run_of, words

from blade.diagnosis.cases import Case
from blade.diagnosis.unit_factors import unit_factor
from blade.questions import ONE_MATCHER, OTHER_KEYS, verdicts_and_answers


def case(task: int, answer: str, *, passed: bool, key: str = "10", run: str = "a", **seen: Any) -> Case:
    known = {"source": "field", "text": answer, "length": len(answer), "kind": "number", "key_kind": "number"}
    made = made_case(task, passed=passed, observed={"answer": {**known, "key": [key], **seen}})
    made.run = run
    return made


def right(many: int) -> list[Case]:
    return [case(50 + number, "10", passed=True, meets="text") for number in range(many)]


def test_passes_that_never_give_the_key_are_judged_by_something_else() -> None:
    rows = [case(task, "x", passed=number < 2) for task in range(6) for number in range(4)]
    assert verdicts_and_answers.ask([run_of("a", rows)]) is None


def test_one_answer_that_is_not_the_key_with_two_verdicts() -> None:
    rows = [case(1, "120", passed=number == 0) for number in range(5)]
    answer = verdicts_and_answers.ask([run_of("a", [*rows, *right(4)])])
    assert answer is not None
    assert answer["apart"]["of_tasks"] == 1
    fault = verdicts_and_answers.faults(answer)["1"]
    assert (fault.reason, fault.source) == ("one answer both passes and fails within a run", "verifier")
    (first,) = verdicts_and_answers.brief(answer)
    assert first.text.startswith(
        "The verdict is not a function of the answer: in 1 task one answer that is not the key"
    )
    told = words(verdicts_and_answers.tell(answer))
    assert "in 1 task an answer that is not the key passes in some attempts and fails in others: 1 ('120', key" in told
    assert "1 ('120', key '10': 1 of 5 pass). Check what was judged" in told
    assert "1 (key '10'; 5 of 5 answer '120', 1 of them passes; 0 give the key)" in told


def test_the_key_in_another_unit_than_the_task_names(tmp_path: Path) -> None:
    """Two thirds answer in inches, the only unit of the task; the key is in feet."""

    def rows(asks: str) -> list[Json]:
        text = {"input": [{"role": "user", "type": "message", "content": asks}]}
        known = {"responses_create_params": text, "expected_answer": "10"}
        odd = [
            row(1, attempt, 0.0 if attempt < 4 else 1.0, extracted_answer="120" if attempt < 4 else "10", **known)
            for attempt in range(6)
        ]
        return [*(row(task, 0) for task in range(20, 30)), *odd]

    inches = "Two fish of 6-inch length are a tenth of a shark. How long is it?"
    answer = analysed(write(tmp_path / "a.jsonl", rows(inches))).investigation["verdicts_and_answers"]
    assert (answer["units"][0]["factor"], answer["units"][0]["passes"]) == (12, 0)
    assert (
        "In 1 task most rollouts agree on an answer that is the key in another unit, and the task names only the unit "
        "of the answer: 1 (key '10'; 4 of 6 answer '120', 0 of them pass; inches and feet differ by 12). The key "
        "may be in a unit that nobody is asked for, or this is chance: read the task."
    ) in words(verdicts_and_answers.tell(answer))
    both = analysed(write(tmp_path / "b.jsonl", rows(f"{inches} Answer in feet.")))
    assert both.investigation["verdicts_and_answers"]["units"] == []


@pytest.mark.parametrize(
    ("answer", "key", "task", "name"),
    [
        ("120", "10", "How many inches?", "inches and feet"),
        ("10", "120", "How many inches?", None),
        ("2", "24", "For how many years?", "months and years"),
        ("7200", "2", "In how many seconds?", "seconds and hours"),
        ("130", "10", "How many inches?", None),
        ("120", "10", "How many inch marks are in ten feet?", None),
        ("120", "10", "How many pinches?", None),
        ("words", "10", "How many inches?", None),
    ],
)
def test_the_units_between_an_answer_and_a_key(answer: str, key: str, task: str, name: str | None) -> None:
    pair = unit_factor(answer, key, task)
    assert (pair.name if pair else None) == name


def test_two_runs_that_judge_one_answer_apart_may_have_two_verifiers() -> None:
    strict = [case(task, "120", passed=False, key="10", run="a") for task in range(3)]
    mild = [case(task, "120", passed=True, key="10", run="b") for task in range(3)]
    assert verdicts_and_answers.ask([run_of("a", [*strict, *mild])]) is None


def test_most_agree_against_the_key_and_some_pass() -> None:
    rows = [case(1, "7", passed=False) for _ in range(4)] + [case(1, "10", passed=True, meets="text")]
    answer = verdicts_and_answers.ask([run_of("a", rows)])
    assert answer is not None
    assert (answer["apart"], answer["agreed"]["shown"][0]["right"]) == (None, 1)
    told = words(verdicts_and_answers.tell(answer))
    assert "1 (key '10'; 4 of 5 answer '7', 0 of them pass; 1 gives the key)" in told


def test_a_key_that_one_run_meets_again_and_again_is_not_in_doubt() -> None:
    rows = [case(1, "7", passed=False) for _ in range(6)]
    able = [case(1, "10", passed=True, meets="text", run="b") for _ in range(3)]
    assert verdicts_and_answers.ask([run_of("a", rows), run_of("b", able)]) is None
    once = verdicts_and_answers.ask([run_of("a", rows), run_of("b", able[:1])])
    assert once is not None
    assert once["agreed"]["of_tasks"] == 1


def test_the_last_words_of_rollouts_that_a_limit_cut_are_no_answers() -> None:
    rows = [case(1, "thinking 11", passed=False) for _ in range(6)]
    assert verdicts_and_answers.ask([run_of("a", rows)]) is not None
    for made in rows:
        made.state = "truncated"
    assert verdicts_and_answers.ask([run_of("a", rows)]) is None


def test_right_answers_and_scattered_wrong_ones_are_no_matter() -> None:
    rows = [case(1, str(number), passed=False) for number in range(4)]
    rows += [case(2, "10", passed=True, meets="text") for _ in range(4)]
    assert verdicts_and_answers.ask([run_of("a", rows)]) is None


def unread(task: int, attempt: int, *, passed: bool, empty: bool) -> Json:
    said = response(message(f"So it comes to {2 * task if passed else 99}."))
    return row(task, attempt, float(passed), response=said, extracted_answer="" if empty else str(2 * task))


def test_an_empty_field_that_passes_as_often_explains_no_failure(tmp_path: Path) -> None:
    rows = [unread(task, 0, passed=task % 4 > 0, empty=task % 2 == 0) for task in range(1, 41)]
    found = analysed(write(tmp_path / "run.jsonl", rows))
    assert "parse_failed" not in {mode.detector for mode in found.modes}
    (empty,) = found.investigation["verdicts_and_answers"]["empty"]
    assert (empty["rows"], empty["passes"], empty["others"], empty["other_passes"]) == (20, 10, 20, 20)
    assert (
        "the field for the answer is empty in 20 rows, and 10 of these pass (20 of the 20 others): that field"
        in words(verdicts_and_answers.tell(found.investigation["verdicts_and_answers"]))
    )


def test_an_empty_field_that_only_failures_have_is_a_failure_to_read(tmp_path: Path) -> None:
    rows = [unread(task, 0, passed=task % 4 > 0, empty=task % 4 == 0) for task in range(1, 41)]
    found = analysed(write(tmp_path / "run.jsonl", rows))
    assert "parse_failed" in {mode.detector for mode in found.modes}
    assert "verdicts_and_answers" not in found.investigation


def test_runs_of_two_models_that_fail_with_the_same_answer(tmp_path: Path) -> None:
    def rows(model: str, last: str) -> list[Json]:
        made = []
        for task in range(8):
            shared = f"lookup(item={task})" if model == "one" else f"[lookup(item={task})]"
            text = shared if task < 5 else f"lookup(item='{last}', n={task})"
            said = response(message(text), model=model)
            made.append(row(task, reward=0.0, response=said, expected_answer=ABSENT, extracted_answer=ABSENT))
        return made

    paths = [write(tmp_path / f"{name}.jsonl", rows(name, name)) for name in ("one", "two")]
    answer = analysed(*paths).investigation["verdicts_and_answers"]
    assert answer["alike"] == {"tasks": ["0", "1", "2", "3", "4"], "of_tasks": 5, "failed": 8}
    assert "Of the 8 tasks that no run passes and all configurations answer, 5 get the same answer" in words(
        verdicts_and_answers.tell(answer)
    )


def test_two_tasks_missed_alike_stand_out_where_every_run_is_mostly_right(tmp_path: Path) -> None:
    def rows(model: str, wrong: int) -> list[Json]:
        return [
            row(
                task,
                reward=float(task >= wrong),
                response=response(message("rust" if task < 2 else f"{model} {task}"), model=model),
                expected_answer=ABSENT,
                extracted_answer=ABSENT,
            )
            for task in range(20)
        ]

    good = [write(tmp_path / f"{name}.jsonl", rows(name, 2)) for name in ("one", "two")]
    answer = analysed(*good).investigation["verdicts_and_answers"]
    assert (
        "Of the 2 tasks that no run passes and all configurations answer, 2 get the same answer from all of them"
        in (words(verdicts_and_answers.tell(answer)))
    )
    weak = [write(tmp_path / f"weak-{name}.jsonl", rows(name, 8)) for name in ("one", "two")]
    assert "verdicts_and_answers" not in analysed(*weak).investigation


def test_the_commonest_answer_of_a_task_that_nobody_passes() -> None:
    rows = [case(1, "35" if number < 4 else str(number), passed=False) for number in range(6)]
    scattered = [case(2, str(number), passed=False) for number in range(20, 26)]
    answer = verdicts_and_answers.ask([run_of("a", [*rows, *scattered, *right(4)])])
    assert answer is not None
    assert "In 1 task that no run passes most rollouts agree: 1 '35' in 4 of 6 rollouts (key '10')." in words(
        verdicts_and_answers.tell(answer)
    )
    assert verdicts_and_answers.ask([run_of("a", [*rows[:3], *scattered, *right(4)])]) is None


def test_two_verdicts_on_one_answer_ask_for_one_matcher_and_other_answers_for_a_look_at_the_key() -> None:
    rows = [case(1, "120", passed=number == 0) for number in range(5)]
    answer = verdicts_and_answers.ask([run_of("a", [*rows, *right(4)])])
    assert answer is not None
    matcher, keys = verdicts_and_answers.advise(answer)
    assert (matcher.change, matcher.kind, matcher.before_scores) == (ONE_MATCHER, "verifier", True)
    assert (matcher.because.text, matcher.rollouts) == ("In 1 task one answer both passes and fails (1).", 5)
    assert (keys.change, keys.before_scores) == (OTHER_KEYS, False)
    assert keys.because.text == (
        "In 1 task more than half agree on an answer that is not the key, although some give the key or pass (1)."
    )


def graded(task: int, answer: str, passing: set[tuple[str, int]]) -> list[Case]:
    """Three runs with four attempts each that give one answer; those named pass."""
    rows = []
    for run in "abc":
        for attempt in range(4):
            rows.append(case(task, answer, passed=(run, attempt) in passing, run=run))
            rows[-1].attempt = attempt
    return rows


def asked(*tasks: list[Case]) -> dict[str, Any] | None:
    return verdicts_and_answers.ask([run_of("a", [*(made for task in tasks for made in task), *right(100)])])


FIRST_ATTEMPTS = {(run, 0) for run in "abc"}
LATER_ATTEMPTS = {(run, attempt) for run in "abc" for attempt in (1, 2, 3)}


def test_an_attempt_whose_verdicts_differ_either_way_is_graded_otherwise() -> None:
    answer = asked(graded(1, "120", FIRST_ATTEMPTS), graded(2, "7", LATER_ATTEMPTS), graded(3, "9", {("b", 2)}))
    assert answer is not None
    split = answer["graded_otherwise"]
    assert (split["by"], split["value"], split["of_tasks"], split["tasks_with_two_verdicts"]) == ("attempt", 0, 2, 3)
    told = words(verdicts_and_answers.tell(answer))
    assert (
        "In 2 of 3 tasks where one answer that is not the key gets two verdicts, the verdict at attempt 0 differs from "
        "that of the same answer elsewhere (passes at attempt 0 and elsewhere: 1 ('120') 3 of 3 and 0 of 9; "
        "2 ('7') 0 of 3 and 9 of 9; exact test, corrected for all attempts and runs, p "
    ) in told
    assert "attempt 0 seems to be graded otherwise." in told
    (first,) = verdicts_and_answers.brief(answer)
    assert first.text.endswith("(first 1): attempt 0 seems to be graded otherwise.")


def test_the_attempts_after_which_the_verdicts_turn_are_named_together() -> None:
    early = {(run, attempt) for run in "abc" for attempt in (0, 1)}
    answer = asked(graded(1, "120", early), graded(2, "7", early), graded(3, "9", early))
    assert answer is not None
    assert (answer["graded_otherwise"]["by"], answer["graded_otherwise"]["value"]) == ("first", 1)
    assert "the attempts up to 1 seem to be graded otherwise." in words(verdicts_and_answers.tell(answer))


def test_a_run_that_fails_what_all_others_pass_is_graded_otherwise() -> None:
    of_others = {(run, attempt) for run in "ac" for attempt in range(4)}
    answer = asked(*(graded(task, "120", of_others) for task in range(3)))
    assert answer is not None
    assert answer["apart"] is None
    told = words(verdicts_and_answers.tell(answer))
    assert "In all 3 tasks where one answer" in told
    assert "(passes in b and elsewhere: 0 ('120') 0 of 4 and 8 of 8; " in told
    assert "p < 0.0001): b seems to be graded otherwise." in told
    assert not list(verdicts_and_answers.brief(answer))


def test_verdicts_that_scatter_over_attempts_and_runs_accuse_none() -> None:
    scattered = [{("a", 0), ("b", 1)}, {("c", 3), ("a", 2)}, {("b", 0), ("c", 1), ("a", 3)}, {("b", 2)}]
    answer = asked(*(graded(task, "120", passing) for task, passing in enumerate(scattered)))
    assert answer is not None
    assert answer["apart"]["of_tasks"] == 4
    assert answer["graded_otherwise"] is None
    assert "graded otherwise" not in words(verdicts_and_answers.tell(answer))


def test_one_task_alone_accuses_no_attempt() -> None:
    answer = asked(graded(1, "120", FIRST_ATTEMPTS))
    assert answer is not None
    assert answer["graded_otherwise"] is None
