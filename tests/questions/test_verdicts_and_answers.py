"""Verdicts that the answer does not explain, and answers on which everybody agrees against the key."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.gym_rows import ABSENT, Json, analysed, message, response, row, write
from tests.questions.made_cases import case as made_case
from tests.questions.made_cases import run_of, words

from blade.diagnosis.cases import Case
from blade.questions import verdicts_and_answers


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
            text = f"lookup(item={task})" if task < 5 else f"lookup(item='{last}', n={task})"
            said = response(message(text), model=model)
            made.append(row(task, reward=0.0, response=said, expected_answer=ABSENT, extracted_answer=ABSENT))
        return made

    paths = [write(tmp_path / f"{name}.jsonl", rows(name, name)) for name in ("one", "two")]
    answer = analysed(*paths).investigation["verdicts_and_answers"]
    assert answer["alike"] == {"tasks": ["0", "1", "2", "3", "4"], "of_tasks": 5, "failed": 8}
    assert "Of the 8 tasks that no run passes and all configurations answer, 5 get the same answer" in words(
        verdicts_and_answers.tell(answer)
    )
