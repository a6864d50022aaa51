"""What failing tests got: nothing, the right numbers written otherwise, an example of the prompt."""

from __future__ import annotations

from typing import Any

import pytest
from tests.gym_rows import Json, analysed, message, request, response, row, write
from tests.questions.made_cases import case, causes, run_of, words

from blade.extract.recorded_results import (
    CUT_SHORT,
    LETTERS,
    NO_VALUE,
    NOTHING,
    OTHER,
    REORDERED,
    ROUNDING,
    SPACES,
    UNIT,
    difference,
)
from blade.findings import OF_VERIFIER
from blade.questions import recorded_results

RUNS = "import sys\ndef main():\n    print(3)\nmain()"
IDLE = "import sys\nsys.setrecursionlimit(99)\nMOD = 7\ndef main():\n    print(3)"


@pytest.mark.parametrize(
    ("got", "expected", "kind"),
    [
        ("", "4", NOTHING),
        ("None", "[2, 3]", NO_VALUE),
        ("0.6666666666", "0.666666666667", ROUNDING),
        ("[1.5, 2.0]", "[1.5000000001, 2]", ROUNDING),
        ("894740", "894742", OTHER),
        ("1.5", "1.6", OTHER),
        ("YES no", "Yes No", LETTERS),
        ("a\nb", "a b", SPACES),
        ("1 3 2", "1 2 3", REORDERED),
        ("1 2", "1 2 3", CUT_SHORT),
        ("oak", "elm", OTHER),
        ("2500ms", "2.5s", UNIT),
        ("120 s", "2m", UNIT),
        ("2000 m", "2 km", UNIT),
        ("2500ms", "2.6s", OTHER),
        ("2.50s", "2.5s", OTHER),
        ("2 kg", "2000 m", OTHER),
        ("2s", "2", OTHER),
    ],
)
def test_how_a_result_differs(got: str, expected: str, kind: str) -> None:
    assert difference(got, expected) == kind


def judged_row(task: int, code: str, output: str | None, expected: str = "3", shelf: str = "12 jars") -> Json:
    """A row of a code task; without an output it passes."""
    record = {} if output is None else {"output": output, "expected": expected, "inputs": shelf, "error_code": -2}
    return row(
        task,
        reward=float(output is None),
        responses_create_params=request(f"Count the jars of shelf {task}. Example: 12 jars gives 3."),
        response=response(message(f"```python\n{code}\n```")),
        verifier={"metadata": record, "extracted_code": code},
        expected_answer=None,
        extracted_answer=None,
    )


@pytest.fixture(scope="module")
def answer(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The second run prints nothing in tasks 0 to 5, in three of them as its code calls nothing."""
    folder = tmp_path_factory.mktemp("recorded")
    good = [judged_row(task, RUNS, None) for task in range(6)]
    rounded = [judged_row(task, RUNS, "0.333333333333", "0.33333333333333", "90210 jars") for task in range(6, 9)]
    silent = [judged_row(task, IDLE if task < 3 else RUNS, "") for task in range(6)]
    files = {"one": [*good, *rounded], "two": [*silent, *rounded]}
    return analysed(*(f"{name}={write(folder / f'{name}.jsonl', rows)}" for name, rows in files.items())).investigation[
        "recorded_results"
    ]


def test_programs_that_print_nothing_are_told_with_what_they_cost(answer: Any) -> None:
    nothing, rounding = answer["kinds"]
    assert (nothing["kind"], nothing["failures"], nothing["idle"]) == (NOTHING, 6, 3)
    assert (rounding["kind"], rounding["failures"], rounding["passes_of_tasks"]) == (ROUNDING, 6, 0)
    text = words(recorded_results.tell(answer))
    assert (
        "In 6 of 9 failures of two the test that failed got nothing: the program printed no result (0, 1, 2, 3, 4 and "
        "5). Of the 6 tasks that only one passes, two loses 6 this way. In 3 of the 6 (3 of two) the program defines "
        "functions and calls none, so that nothing runs (0, 1 and 2)." in text
    )


def test_what_is_left_of_a_difference_without_the_tasks_that_end_so_is_told(tmp_path: Any) -> None:
    wrong = {task: judged_row(task, RUNS, f"{task} jars", "90 lids") for task in range(36)}
    one = [wrong[task] if task in range(20, 24) else judged_row(task, RUNS, None) for task in range(36)]
    two = [judged_row(task, RUNS, "" if task < 10 else None) for task in range(33)] + [
        wrong[task] for task in (33, 34, 35)
    ]
    runs = (f"{name}={write(tmp_path / f'{name}.jsonl', rows)}" for name, rows in {"one": one, "two": two}.items())
    text = words(recorded_results.tell(analysed(*runs).investigation["recorded_results"]))
    assert (
        "On the 26 tasks of both that no rollout loses so, one is ahead in 3 and two in 4 (of all tasks in 13 and 4; "
        "sign test p = 1): there no difference is proven. They may be the easier tasks." in text
    ), text


def test_right_numbers_that_fail_are_told_as_the_verifiers(answer: Any) -> None:
    text = words(recorded_results.tell(answer))
    assert (
        "In 3 of 3 failures of one and 3 of 9 failures of two the test that failed got the expected numbers but for "
        "their last places (“0.333333333333” for “0.33333333333333”): the verifier takes them as text (6, 7 and 8). "
        "None of the 6 judged rollouts of these tasks pass." in text
    )


def test_a_task_whose_every_rollout_is_right_but_for_rounding_is_the_verifiers(answer: Any) -> None:
    faults = recorded_results.faults(answer)
    assert list(faults) == ["6", "7", "8"]
    assert faults["6"].source == OF_VERIFIER
    (item,) = recorded_results.health(answer)
    assert (item["check"], list(item["tasks"])) == ("suspect_gold", ["6", "7", "8"])


def test_failures_on_an_example_of_the_prompt_are_counted(answer: Any) -> None:
    assert answer["shown"] == [{"run": "one", "shown": 0, "of": 3}, {"run": "two", "shown": 6, "of": 9}]
    assert (
        "The test that fails is one that the prompt itself shows, with its result, in 0 of 3 failures of one and 6 of "
        "9 failures of two." in words(recorded_results.tell(answer))
    )


def test_the_first_screen_names_what_makes_up_much_of_the_failures(answer: Any) -> None:
    (sentence,) = recorded_results.brief(answer)
    assert "6 of 9 failures of two" in "".join(str(getattr(part, "text", part)) for part in sentence.parts)


def test_an_answer_and_its_key_are_no_record_of_a_test(tmp_path: Any) -> None:
    rows = [row(task, reward=0.0, output="", expected="3", judge={"output": "", "expected": "3"}) for task in range(8)]
    assert "recorded_results" not in analysed(str(write(tmp_path / "rows.jsonl", rows))).investigation


def test_a_few_failures_say_nothing() -> None:
    seen = {"result": {"kind": NOTHING, "got": "", "expected": "3"}}
    cases = [case(task, passed=False, observed=seen) for task in range(4)]
    assert recorded_results.ask([run_of("run", cases)]) is None


def test_results_that_only_differ_are_not_told() -> None:
    seen = {"result": {"kind": OTHER, "got": "4", "expected": "3"}}
    assert recorded_results.ask([run_of("run", [case(task, passed=False, observed=seen) for task in range(9)])]) is None


def test_time_limits_on_an_example_of_the_prompt_are_told_apart(tmp_path: Any) -> None:
    rows = [judged_row(task, RUNS, "") for task in range(8)]
    for place, one in enumerate(rows):
        record = one["verifier"]["metadata"]
        del record["output"]
        record |= {"error_message": "Time Limit Exceeded", "inputs": "12 jars" if place < 2 else "9 999 jars"}
    answer = analysed(str(write(tmp_path / "rows.jsonl", rows))).investigation["recorded_results"]
    assert (
        "In 8 of 8 failures of rows a time limit ended the test (0, 1, 2, 3, 4, 5, 6 and 7). None of the 8 judged "
        "rollouts of these tasks pass. In 2 of the 8 that test is one that the prompt shows (0 and 1): such examples "
        "are mostly small, so that the program may wait or run for ever there." in words(recorded_results.tell(answer))
    )


def test_what_stays_without_the_words_that_go_with_empty_results_and_the_order_if_they_had_passed(
    tmp_path: Any,
) -> None:
    """Run two starts a thread in tasks 0 to 29: it prints nothing in 16 and something wrong in 14."""
    thread = "import threading\nworker = threading.Thread(target=main)\nworker.start()"
    wrong = {task: judged_row(task, RUNS, f"{task} jars", "90 lids") for task in range(70)}
    plain = [wrong[task] if task >= 60 else judged_row(task, RUNS, None) for task in range(70)]
    threads = [judged_row(task, thread, "" if task < 16 else f"{task} jars", "90 lids") for task in range(30)]
    threads += [judged_row(task, RUNS, None) for task in range(30, 70)]
    runs = [
        f"{name}={write(tmp_path / f'{name}.jsonl', rows)}" for name, rows in {"one": plain, "two": threads}.items()
    ]
    text = words(recorded_results.tell(analysed(*runs).investigation["recorded_results"]))
    assert "On the 54 tasks of both that no rollout loses so, one is ahead in 14 and two in 10" in text, text
    assert (
        "Without the tasks in which any rollout writes that, either, 40 tasks are left, and one is ahead in 0 and two "
        "in 10 (p = 0.002): there the difference is reversed." in text
    ), text
    assert "had passed" not in text
    silent = [judged_row(task, RUNS if task < 14 else thread, None if task < 14 else "") for task in range(30)]
    runs[1] = f"two={write(tmp_path / 'two.jsonl', [*silent, *threads[30:]])}"
    answer = analysed(*runs).investigation["recorded_results"]
    bound = "If all 16 had passed, the order of the runs would change: one 60 of 70 (85.7%) and two 70 of 70 (100.0%)."
    assert bound in words(recorded_results.tell(answer))
    (sentence,) = recorded_results.brief(answer)
    assert sentence.text.endswith(bound)


def test_the_failures_get_their_label(answer: Any) -> None:
    assert causes(answer) == [
        ("BI", "defines functions and calls none, so that nothing is printed", 3),
        ("TI", "got what the test expects, but for how it is written", 6),
    ]
