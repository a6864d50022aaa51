"""Tasks graded by several values: what is judged wrongly, left out, exchanged, agreed on, or on one side of the key."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.gym_rows import Json, analysed, write
from tests.questions.made_cases import case, run_of, said, task_row, words

from blade.diagnosis.answer_parts import are_equal, relation_of
from blade.diagnosis.cases import Case
from blade.extract.attempt import Attempt
from blade.extract.part_answers import part_answers
from blade.questions import part_answers as question


def part(
    name: str, expected: str, answer: str | None, *, counts: bool | None = None, reading: str | None = None
) -> Any:
    return [name, expected, answer, answer == expected if counts is None else counts, reading]


def rollout(task: int, *parts: Any, attempt: int = 0) -> Case:
    passed = all(one[3] for one in parts)
    return case(task, passed=passed, observed={"parts": list(parts)}, attempt=attempt)


def right(task: int, attempt: int = 0) -> Case:
    return rollout(task, part("n", f"{task}7", f"{task}7"), part("mean", f"{task}.25", f"{task}.25"), attempt=attempt)


def asked(**runs: list[Case]) -> Any:
    return question.ask([run_of(name, cases) for name, cases in runs.items()])


def told(**runs: list[Case]) -> str:
    answer = asked(**runs)
    return words(question.tell(answer)) if answer else ""


def rights() -> list[Case]:
    return [right(task) for task in range(10, 20)]


def misread(task: int, attempt: int = 0) -> Case:
    total = part("total", "22235.17", "22,235.17", counts=False, reading="22")
    return rollout(task, total, part("n", "5", "5"), attempt=attempt)


def test_equal_values_that_are_judged_wrong_are_the_verifiers_fault() -> None:
    assert told(one=[misread(1), misread(2), *rights()], two=[*rights(), misread(1)]) == (
        "3 failures in 2 tasks (1 and 2; one 2 and two 1) have 3 parts judged wrong though the value handed in equals "
        "the expected one, as “total” of 1 (attempt 0 of one): “22,235.17” against “22235.17”, read as “22”. That is a "
        "fault of the verifier, not of the model. If such parts counted, all of them would pass: one 12 of 12 (100.0%) "
        "instead of 10 and two 11 of 11 (100.0%) instead of 10. The order of the runs would stay the same."
    )


def test_a_single_one_is_told_in_the_singular_and_the_order_of_the_runs_changes() -> None:
    wrong = rollout(3, part("n", "8", "9"), part("mean", "1.5", "2.5"))
    fresh = [right(task) for task in (10, 11)]
    answer = asked(one=[misread(1), misread(2), *fresh], two=[right(1), right(2), right(3), wrong])
    text = words(question.tell(answer))
    assert "If they counted, the order of the runs would change: one 4 of 4 (100.0%) and two 3 of 4 (75.0%)." in text
    single = told(one=[misread(1), *rights()])
    assert single.startswith("1 failure in 1 task (1; one 1) has 1 part judged wrong though the value handed in equals")
    assert "If such parts counted, it would pass: one 11 of 11 (100.0%) instead of 10." in single


def test_what_else_is_wrong_does_not_pass() -> None:
    both = rollout(1, part("a", "1000", "1,000", counts=False), part("b", "4", "5"))
    text = told(one=[both, *rights()])
    assert text.startswith("1 failure in 1 task")
    assert "would pass" not in text


def test_equal_values_stand_on_the_first_screen_with_a_fault_and_a_step() -> None:
    answer = asked(one=[misread(1), misread(2), *rights()])
    (head,) = question.brief(answer)
    assert head.text == (
        "2 failures have a part judged wrong though its value equals the expected one (“22,235.17” against “22235.17”, "
        "read as “22”); with these counted the passes are one 12 of 12 (100.0%) instead of 10."
    )
    assert {task: fault.source for task, fault in question.faults(answer).items()} == {"1": "verifier", "2": "verifier"}
    (advice,) = question.advise(answer)
    assert (advice.kind, advice.rollouts) == ("verifier", 2)
    assert advice.because.text.startswith("2 failures hand in a value that equals the expected one")


def test_flags_that_say_something_else_are_no_verdicts() -> None:
    flagged = [
        rollout(task, part("a", "14", "15", counts=True), part("b", "6", "6", counts=False)) for task in range(9)
    ]
    assert not told(one=flagged)


def rounded(task: int, attempt: int = 0) -> Case:
    return rollout(task, part("mean", "7.4667", "7.47"), attempt=attempt)


def test_a_key_finer_than_the_answers() -> None:
    exact = rollout(1, part("mean", "7.4667", "7.4667"), attempt=3)
    first = [*(rounded(1, attempt) for attempt in range(2)), exact, *rights()]
    answer = asked(one=first, two=[*(rounded(1, attempt) for attempt in range(2)), *rights()])
    assert words(question.tell(answer)) == (
        "4 failures in 1 task hand in the key rounded to fewer decimals, and the only pass there gives more: the key "
        "is finer than the answer. By task: 1 (4 of 4 failures, as “7.47” for “7.4667”; one 2 and two 2)."
    )
    assert question.faults(answer)["1"].source == "verifier"
    (advice,) = question.advise(answer)
    assert advice.change == "Compare 1 in as many decimals as the task asks for, and judge again"


def test_roundings_are_no_fault_where_passes_give_as_few_decimals() -> None:
    lenient = [rollout(1, part("mean", "7.4667", "7.47", counts=True), attempt=attempt) for attempt in range(4)]
    assert not told(one=[*(rounded(1, attempt) for attempt in range(4, 8)), *lenient, *rights()])


def short(task: int, attempt: int, missing: int = 1) -> Case:
    values = [part(f"p{place}", f"{task}{place}", f"{task}{place}") for place in range(4 - missing)]
    return rollout(
        task, *values, *(part(f"p{4 - left}", "12.5", None) for left in range(missing, 0, -1)), attempt=attempt
    )


def whole(task: int, attempt: int) -> Case:
    return rollout(
        task, *(part(f"p{place}", f"{task}{place}", f"{task}{place}") for place in range(4)), attempt=attempt
    )


def test_parts_that_one_run_leaves_out_at_the_end() -> None:
    leaving = [short(task, attempt) for task in range(1, 7) for attempt in range(3)]
    full = [whole(task, attempt) for task in range(1, 7) for attempt in range(3)]
    assert told(one=[*leaving, *rights()], two=[*full, *rights()]) == (
        "18 failures in 6 tasks (1, 2, 3, 4, 5 and 6) leave out 1 part, always the last one, while everything handed "
        "in is right, as “p3” of 1 (attempt 0 of one). All of them are tasks of 4 or more parts. By run: one 18 of 18 "
        "failures and two 0 of 0 failures (exact test by task p < 0.0001)."
    )


def test_parts_left_out_in_the_middle_are_not_the_last() -> None:
    middle = [
        rollout(task, part("a", "10.5", "10.5"), part("b", "11.5", None), part("c", "12.5", "12.5"))
        for task in range(1, 6)
    ]
    assert told(one=[*middle, short(7, 0, missing=2), *rights()]) == (
        "6 failures in 6 tasks (1, 2, 3, 4, 5 and 7) leave out 1 or 2 parts, in 1 of them the last, while everything "
        "handed in is right, as “b” of 1 (attempt 0 of one). All of them are tasks of 3 or more parts. By run: one 6 "
        "of 6 failures."
    )


def test_parts_left_out_beside_wrong_ones_or_seldom_are_not_told() -> None:
    wrong = [rollout(task, part("a", "10.5", "11.5"), part("b", "11.5", None)) for task in range(1, 8)]
    assert not told(one=[*wrong, *rights()])
    assert not told(one=[*(short(task, 0) for task in range(4)), *rights()])


def exchanged(attempt: int) -> Case:
    values = (part("mean_a", "69.57", "73.36"), part("mean_b", "73.36", "69.57"))
    return rollout(1, *values, attempt=attempt)


def test_exchanged_keys() -> None:
    honest = rollout(1, part("mean_a", "69.57", "69.57"), part("mean_b", "73.36", "73.36"), attempt=2)
    answer = asked(one=[exchanged(0), exchanged(1), honest, *rights()], two=[exchanged(0), exchanged(1), *rights()])
    sentence = (
        "The keys of “mean_a” (69.57) and “mean_b” (73.36) of 1 may be exchanged: 4 of 5 rollouts hand in each one's "
        "value for the other (one 2 and two 2), and 1 passes."
    )
    assert words(question.tell(answer)) == sentence
    assert [one.text for one in question.brief(answer)] == [sentence]
    assert question.faults(answer)["1"].source == "key"
    (advice,) = question.advise(answer)
    assert (advice.kind, advice.because.text) == ("data", "Keys of 1 task look exchanged or reversed (1).")


def test_one_run_alone_exchanges_no_keys() -> None:
    assert not told(one=[*(exchanged(attempt) for attempt in range(4)), *rights()], two=rights())


def agreeing(answer: str, attempt: int, *, fine: bool = True) -> Case:
    return rollout(1, part("pct", "90.17", answer), part("n", "8", "8" if fine else "9"), attempt=attempt)


def test_one_wrong_value_on_which_most_agree_and_that_is_100_minus_the_key() -> None:
    answer = asked(
        one=[*(agreeing("9.83", attempt) for attempt in range(3)), *rights()],
        two=[*(agreeing("9.83", attempt) for attempt in range(2)), agreeing("11.20", 2), *rights()],
    )
    assert words(question.tell(answer)) == (
        "The key of “pct” of 1 may be wrong: it says 90.17, and 5 of 6 rollouts hand in 9.83, 100 minus the key (one 3 "
        "and two 2); none passes."
    )
    assert question.faults(answer)["1"].source == "key"


def test_agreement_without_a_simple_relation_may_be_a_trap() -> None:
    answer = asked(
        one=[*(agreeing("45.50", attempt) for attempt in range(3)), *rights()],
        two=[*(agreeing("45.5", attempt, fine=attempt > 0) for attempt in range(3)), *rights()],
    )
    assert words(question.tell(answer)) == (
        "In 1 task most rollouts agree on a value that is not the key, and a wrong key and a trap look alike: 1 “pct” "
        "45.50 for 90.17 in 6 of 6 rollouts (2 runs; none passes; 5 have all else right). Read the task."
    )
    assert not question.faults(answer)
    assert not list(question.brief(answer))


def test_one_run_random_errors_and_truth_values_agree_on_nothing() -> None:
    assert not told(one=[*(agreeing("45.5", attempt) for attempt in range(6)), *rights()], two=rights())
    spread = [agreeing(f"{30 + attempt}.5", attempt) for attempt in range(6)]
    assert not told(one=[*spread[:3], *rights()], two=[*spread[3:], *rights()])
    denied = [rollout(1, part("open", "true", "false"), attempt=attempt) for attempt in range(3)]
    again = [rollout(1, part("open", "true", "false"), attempt=attempt) for attempt in range(3)]
    assert not told(one=[*denied, *rights()], two=[*again, *rights()])


def spread_case(task: int, attempt: int, factor: float) -> Case:
    return rollout(task, part("cv", f"{10 + task}.50", f"{(10.5 + task) * factor:.2f}"), attempt=attempt)


def test_wrong_numbers_of_a_run_on_one_side_of_the_key() -> None:
    low = [spread_case(task, attempt, 0.98) for task in range(1, 9) for attempt in range(3)]
    fine = [spread_case(task, attempt, 1.0) for task in range(1, 9) for attempt in range(3)]
    assert told(one=low, two=fine) == (
        "Where one has “cv” wrong, the number lies below the key in all 8 tasks (24 of 24 wrong numbers, median 0.98 "
        "times the key; sign test p = 0.0078; 1, 2, 3, 4, 5, 6, 7 and 8), and the other runs are right in 24 of 24 "
        "rollouts there (exact test by task p < 0.0001): one cause may stand behind it, as 11.27 for 11.50 in 1."
    )


@pytest.mark.parametrize("factor", [1.0, 0.98])
def test_errors_on_both_sides_or_of_all_runs_are_not_one_sided(factor: float) -> None:
    both = [spread_case(task, attempt, 0.97 + 0.06 * (task % 2)) for task in range(1, 9) for attempt in range(3)]
    other = [spread_case(task, attempt, factor) for task in range(1, 9) for attempt in range(3)]
    assert "lies" not in told(one=both, two=other)


def test_parts_that_simply_are_wrong_are_not_told() -> None:
    wrong = [rollout(task, part("a", "10.5", f"{task}1.7"), part("b", "8", f"{task}3")) for task in range(1, 5)]
    assert not told(one=[*wrong, *rights()])


def row(**fields: Any) -> Json:
    return task_row(1, said("Done."), passed=False, **fields)


def read(**fields: Any) -> Any:
    return part_answers(Attempt(row(**fields))).get("parts")


PARALLEL = {
    "answer_key": {"n_rows": 28.0, "mean": 39.21},
    "abs_tol": {"n_rows": 0.01, "mean": 0.01},
    "submitted": {"n_rows": "28", "mean": "39,21.00"},
    "parsed": {"n_rows": 28.0, "mean": 39.0},
    "sub_correct": {"n_rows": True, "mean": False},
}


def test_parallel_records_are_read_as_parts() -> None:
    wanted = [["n_rows", "28", "28", True, "28"], ["mean", "39.21", "39,21.00", False, "39"]]
    assert read(verifier_metadata=PARALLEL) == wanted
    extraction = {
        "expected": {"vendor": "Acme", "total": "12.50"},
        "predicted": {"vendor": "ACME"},
        "field_correct": {"vendor": True, "total": False},
    }
    assert read(**extraction) == [["vendor", "Acme", "ACME", True, None], ["total", "12.50", None, False, None]]
    assert read(info=extraction) == read(**extraction)


def test_records_of_one_part_and_of_truth_values_are_read() -> None:
    single = {"target": {"mean": 4.25}, "given": {"mean": "4.2"}, "ok": {"mean": False}}
    assert read(verifier=single) == [["mean", "4.25", "4.2", False, None]]
    truths = {
        "expected": {"a": True, "b": False},
        "predicted": {"a": True, "b": True},
        "correct": {"a": True, "b": False},
    }
    assert read(verifier=truths) == [["a", "true", "true", True, None], ["b", "false", "true", False, None]]


@pytest.mark.parametrize("absent", ["answer_key", "sub_correct"])
def test_without_a_key_or_flags_there_are_no_parts(absent: str) -> None:
    assert read(verifier_metadata={name: record for name, record in PARALLEL.items() if name != absent}) is None


def test_tolerances_are_no_answers() -> None:
    names = ("answer_key", "abs_tol", "sub_correct")
    assert (
        read(verifier_metadata={**{name: PARALLEL[name] for name in names}, "points": {"n_rows": 1, "mean": 2}}) is None
    )


def test_of_many_parts_the_wrong_ones_and_the_last_are_read() -> None:
    names = [f"p{place}" for place in range(20)]
    record = {
        "expected": dict.fromkeys(names, "x" * 60),
        "got": dict.fromkeys(names, "y"),
        "correct": {name: name != "p3" for name in names},
    }
    parts = read(verifier=record)
    assert [one[0] for one in parts] == ["p3", *(f"p{place}" for place in range(9, 20))]
    assert len(parts[0][1]) == 40


def test_the_question_is_asked_of_rows(tmp_path: Path) -> None:
    def graded(task: int, answer: str) -> Json:
        verdict = {"n": True, "total": answer == "1234.5"}
        record = {"expected": {"n": 3, "total": 1234.5}, "handed_in": {"n": "3", "total": answer}, "right": verdict}
        return task_row(task, said(f"Step {task}."), passed=verdict["total"], verifier=record)

    rows = [graded(task, "1,234.5" if task < 3 else "1234.5") for task in range(12)]
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["part_answers"]
    assert words(question.tell(answer)).startswith(
        "3 failures in 3 tasks (0, 1 and 2; one 3) have 3 parts judged wrong"
    )


@pytest.mark.parametrize(
    ("answer", "key", "equal"),
    [
        ("22,235.17", "22235.17", True),
        ("45.0 %", "45", True),
        ("28", "28.0", True),
        ("9.8", "9.83", False),
        ("a", "b", False),
    ],
)
def test_which_values_are_equal(answer: str, key: str, equal: bool) -> None:
    assert are_equal(answer, key) is equal


@pytest.mark.parametrize(
    ("answer", "key", "relation"),
    [
        ("9.83", "90.17", "100 minus the key"),
        ("4520", "45.2", "100 times the key"),
        ("0.45", "45.2", "a hundredth of the key"),
        ("-3.5", "3.5", "the negative of the key"),
        ("17", "45.2", ""),
        ("paris", "rome", ""),
    ],
)
def test_simple_relations_to_the_key(answer: str, key: str, relation: str) -> None:
    assert relation_of(answer, key) == relation
