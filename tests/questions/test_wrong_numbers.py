"""How wrong numbers differ from the key: planted classes with their sentences, and where nothing is said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.gym_rows import Json, analysed, message, request, response, row, write
from tests.questions.made_cases import case, run_of, words

from blade.questions import wrong_numbers

SHARES = (0.03, 0.04, 0.06, 0.07, 0.08, 0.12, 0.15)


def refused(task: int, given: Any, right: Any, name: str = "discount") -> Json:
    """A failure whose verifier refuses an argument."""
    error = f"Invalid value for parameter '{name}': {given!r}. Expected one of [{right!r}]."
    return row(
        task,
        reward=0.0,
        response=response(message(f"order(number={given!r})")),
        verifier={"error": [error]},
        expected_answer=None,
        extracted_answer=None,
    )


def passed(task: int) -> Json:
    return row(task, expected_answer=None, extracted_answer=None)


@pytest.fixture(scope="module")
def answer(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Both runs give percentages for fractions, and the first gives more words than the key has."""
    folder = tmp_path_factory.mktemp("numbers")
    shares = [refused(task, round(100 * share, 6), share) for task, share in enumerate(SHARES)]
    others = [refused(task, given, right) for task, given, right in ((7, 31, 17), (8, 5.5, 12.25), (9, 400, 150))]
    names = ("barn", "shed", "silo", "byre", "oast house")
    texts = [refused(task, f"the old {name}", name, "place") for task, name in enumerate(names, 10)]
    one = [*shares, *others, *texts]
    two = [*shares[:3], *map(passed, range(3, 15))]
    files = {name: write(folder / f"{name}.jsonl", rows) for name, rows in (("one", one), ("two", two))}
    return analysed(*(f"{name}={path}" for name, path in files.items())).investigation["wrong_numbers"]


def test_percentages_and_texts_are_told_with_the_rest_of_their_tasks(answer: Any) -> None:
    assert words(wrong_numbers.tell(answer)) == (
        "In 7 of 10 failures of one and 3 of 3 failures of two whose wrong number and key are known, the argument "
        "given is 100 times the key's, a percentage where the key has a fraction (3 for 0.03 as discount; 0, 1, 2, 3, "
        "4, 5 and 6). Of the 4 other rollouts of these tasks 4 pass.\n"
        "In 5 of 5 failures of one whose wrong text and key are known, the argument given holds the key's, with more "
        "words around it (“the old barn” for “barn” as place; 10, 11, 12, 13 and 14). Of the 5 other rollouts of these "
        "tasks 5 pass."
    )


def test_the_first_screen_has_the_largest_class_and_the_unit_is_to_be_stated(answer: Any) -> None:
    (sentence,) = wrong_numbers.brief(answer)
    assert sentence.text.startswith("In 7 of 10 failures of one and 3 of 3 failures of two")
    unit, text = wrong_numbers.advise(answer)
    assert unit.change.startswith("State the unit of numbers (percentage or fraction, ones or thousands)")
    assert unit.because.text == (
        "10 failures give an argument that is 100 times the key's, a percentage where the key has a fraction (3 for "
        "0.03 as discount)."
    )
    assert (unit.rollouts, text.rollouts) == (10, 5)


def test_a_unit_that_the_tool_describes_is_to_be_checked_by_the_tool(tmp_path: Path) -> None:
    field = {"type": "number", "description": "discount as a fraction of 1"}
    tool = {"type": "function", "name": "order", "parameters": {"type": "object", "properties": {"discount": field}}}
    rows = [refused(task, round(100 * share, 6), share) for task, share in enumerate(SHARES)]
    rows = [entry | {"responses_create_params": request("Order it.", tools=[tool])} for entry in rows]
    rows += [passed(task) for task in range(7, 12)]
    answer = analysed(f"one={write(tmp_path / 'one.jsonl', rows)}").investigation["wrong_numbers"]
    assert "The tool describes discount as “discount as a fraction of 1”." in words(wrong_numbers.tell(answer))
    (advice,) = wrong_numbers.advise(answer)
    assert advice.kind == "environment"
    assert advice.change == (
        "Have the tool refuse or ask again where discount cannot be in its unit: it is described as “discount as a "
        "fraction of 1”, and that is not enough"
    )


def answered(task: int, given: str, right: str, *, passes: bool = False, **more: Any) -> Any:
    meets = "value" if given == right else ""
    record = {"text": given, "key": [right], "meets": meets, "kind": "number", "key_kind": "number", **more}
    return case(task, passed=passes, observed={"answer": record})


def asked(*cases: Any) -> Any:
    return wrong_numbers.ask([run_of("one", cases)])


def test_numbers_that_are_one_more_are_told_beside_the_passes() -> None:
    keys = range(20, 90, 10)
    failures = [answered(key, str(key + 1), str(key)) for key in keys]
    passes = [answered(key, str(key), str(key), passes=True) for key in (*keys, 95)]
    found = asked(*failures, *passes)
    assert words(wrong_numbers.tell(found)) == (
        "In 7 of 7 failures of one whose wrong number and key are known, the answer given is one more than the key's "
        "(21 for 20; 20, 30, 40, 50, 60, 70 and 80). Of the 7 other rollouts of these tasks 7 pass. Of 8 passes with "
        "both numbers known, 0 differ so."
    )
    assert not list(wrong_numbers.advise(found))


def test_rounding_is_advised_upon_unless_the_task_asks_for_the_digits() -> None:
    numbers = [(task, f"{task}.25", f"{task}.2513") for task in range(11, 18)]
    (advice,) = wrong_numbers.advise(asked(*(answered(*one) for one in numbers)))
    assert advice.change == (
        "Have the verifier compare numbers with a tolerance, and judge again what differs by rounding alone"
    )
    assert advice.because.text == "7 failures give an answer that is the key's up to rounding (11.25 for 11.2513)."
    exact = asked(*(answered(*one, exact=1) for one in numbers))
    assert exact["classes"][0]["class"] == "rounded"
    assert not list(wrong_numbers.advise(exact))


def test_keys_of_many_sizes_tell_chance_together() -> None:
    """Each value has hardly a key of like size beside it; all together show how seldom numbers agree so by chance."""
    numbers = [(task, f"{7 * 10**task}.{task}513", f"{7 * 10**task}.{task}5") for task in range(1, 9)]
    others = [(20 + task, str(3 * 10**task + 7 * task), str(8 * 10**task)) for task in range(1, 9)]
    answer = asked(*(answered(*one) for one in (*numbers, *others)))
    assert [(entry["class"], entry["failures"]) for entry in answer["classes"]] == [("rounded", 8)]


def test_silent_where_passes_differ_as_often() -> None:
    numbers = [(task, f"{task}.25", f"{task}.2513") for task in range(11, 18)]
    failures = [answered(*one) for one in numbers]
    assert asked(*failures, *(answered(*one, passes=True) for one in numbers)) is None


def test_silent_of_few_failures_and_of_few_tasks() -> None:
    assert asked(*(answered(key, str(key + 1), str(key)) for key in range(20, 60, 10))) is None
    same = [answered(20, "21", "20") for _ in range(9)]
    assert asked(*same, answered(40, "41", "40")) is None


def test_silent_of_what_is_a_small_part_or_no_more_than_chance() -> None:
    few = [answered(key, str(100 * key), str(key)) for key in range(11, 17)]
    many = [answered(100 + key, str(7 * key + 3), str(3 * key + 1000)) for key in range(80)]
    assert asked(*few, *many) is None
    small = [answered(key, str(3 + (key + 1 + key % 3) % 5), str(3 + key % 5)) for key in range(30)]
    assert asked(*small) is None


def test_many_runs_are_told_together_and_both_directions_named() -> None:
    numbers = [(20, "19", "20"), *((key, str(key + 1), str(key)) for key in range(30, 90, 10))]
    runs = [run_of(f"run {number}", [answered(*one) for one in numbers]) for number in range(5)]
    text = words(wrong_numbers.tell(wrong_numbers.ask(runs) or {}))
    assert text == (
        "In 35 of 35 failures of all 5 runs whose wrong number and key are known, the answer given is one more or one "
        "less than the key's (19 for 20; 20, 30, 40, 50, 60, 70 and 80)."
    )


def test_texts_that_are_copied_from_the_request_are_told_by_run(tmp_path: Any) -> None:
    towns = ("Oakham", "Elmsby", "Ashton", "Firley", "Beecham", "Larch End")
    copies = [
        refused(task, town, f"{task}{task} GB", "place") | {"responses_create_params": request(f"Weigh it in {town}.")}
        for task, town in enumerate(towns)
    ]
    right = [
        passed(task) | {"responses_create_params": copies[task]["responses_create_params"]} for task in range(1, 6)
    ]
    runs = {"one": [*copies, refused(6, "the dock", "pier", "place")], "two": [*copies[:1], *right, passed(6)]}
    paths = [f"{name}={write(tmp_path / f'{name}.jsonl', rows)}" for name, rows in runs.items()]
    answer = analysed(*paths).investigation["wrong_numbers"]
    assert words(wrong_numbers.tell(answer)) == (
        "In 6 of 7 failures of one and 1 of 1 failure of two whose wrong text and key are known, the argument given "
        "stands word for word in the request, and nothing that the key takes does (“Oakham” for “00 GB” as place; 0, "
        "1, 2, 3, 4 and 5). Of the 5 other rollouts of these tasks 5 pass."
    )
    assert analysed(paths[1]).investigation.get("wrong_numbers") is None


def test_a_fraction_whose_numbers_add_up_to_the_key_lacks_the_last_step(tmp_path: Path) -> None:
    sums = [(37, 120), (20, 29), (11, 40), (7, 55), (3, 91), (13, 71), (9, 100), (17, 203)]
    rows = [
        row(task, reward=0.0, expected_answer=str(one + other), extracted_answer=f"{one}/{other}")
        for task, (one, other) in enumerate(sums)
    ]
    rows += [row(task, reward=0.0, expected_answer="300", extracted_answer="77") for task in range(20, 25)]
    rows += [row(task) for task in range(30, 40)]
    told = words(wrong_numbers.tell(analysed(write(tmp_path / "sums.jsonl", rows)).investigation["wrong_numbers"]))
    assert (
        "In 8 of 13 failures of sums whose wrong number and key are known, the answer given is a fraction whose two "
        "numbers add up to the key, so that the last step asked for is missing (37/120 for 157; 0, 1, 2, 3, 4, 5, 6 "
        "and 7)" in told
    ), told
