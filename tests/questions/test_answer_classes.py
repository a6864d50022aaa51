"""Answers from a small set: confusions, leanings, hard keys, and a key that no field is named for."""

from __future__ import annotations

import random
from typing import Any

import pytest
from tests.questions.made_cases import case as made_case
from tests.questions.made_cases import run_of, words

from blade.diagnosis.cases import Case, RunCases
from blade.questions import answer_classes


def case(task: int, answer: str, key: str = "", *, passed: bool | None = None) -> Case:
    seen: dict[str, Any] = {"source": "field", "text": answer, "length": len(answer), "kind": "text"}
    if key:
        seen |= {"key": [key], "key_kind": "text", "meets": "text" if answer == key else ""}
    return made_case(task, passed=answer == key if passed is None else passed, observed={"answer": seen})


def without_named_key(name: str, cases: list[Case], levels: dict[str, str]) -> RunCases:
    run = run_of(name, cases)
    run.known["task levels"] = {entry.key: {"metadata.cause": levels[entry.key], "day": "monday"} for entry in cases}
    return run


def spread(wrong: dict[int, str]) -> list[tuple[int, str, str]]:
    keys = ["disk", "network", "code"]
    return [(task, wrong.get(task, keys[task % 3]), keys[task % 3]) for task in range(30)]


def test_what_is_answered_where_something_else_is_expected() -> None:
    first = run_of("a", [case(task, answer, key) for task, answer, key in spread({1: "code", 4: "code", 0: "network"})])
    second = run_of("b", [case(task, answer, key) for task, answer, key in spread({1: "code"})])
    answer = answer_classes.ask([first, second])
    assert answer is not None
    assert words(answer_classes.tell(answer)) == (
        "Where 'network' is expected, 'code' is answered in 3 of 20 rollouts: a 2 and b 1 (1 and 4)."
    )


def test_a_field_that_equals_every_passing_answer_holds_the_key() -> None:
    rows = spread({1: "code", 4: "code", 7: "code", 10: "code"})
    levels = {str(task): key for task, _, key in rows}
    cases = [case(task, answer, passed=answer == key and task != 3) for task, answer, key in rows]
    answer = answer_classes.ask([without_named_key("a", cases, levels)])
    assert answer is not None
    assert words(answer_classes.tell(answer)) == (
        "No field is named as the key, but metadata.cause equals the answer in 25 of 25 passes, so it holds the key; "
        "1 failure equals it as well (3): that verdict contradicts the others.\n"
        "Where 'network' is expected, 'code' is answered in 4 of 10 rollouts: a 4 (1, 4, 7 and 10)."
    )


def test_a_field_that_differs_from_passing_answers_is_no_key() -> None:
    rows = spread({1: "code", 4: "code", 7: "code", 10: "code"})
    levels = {str(task): "disk" if task % 5 == 0 else key for task, _, key in rows}
    cases = [case(task, answer, passed=answer == key) for task, answer, key in rows]
    assert answer_classes.ask([without_named_key("a", cases, levels)]) is None


def test_of_two_answers_the_one_that_is_given_too_often() -> None:
    cases = [case(task, "yes", "yes") for task in range(40)]
    cases += [case(task, "yes" if task < 65 else "no", "no") for task in range(40, 80)]
    answer = answer_classes.ask([run_of("a", cases)])
    assert answer is not None
    sentence = (
        "a leans to 'yes': it gives it in 65 of 80 answers and passes 40 of the 40 that expect it, but 15 of the 40 "
        "that expect another; 25 of its 25 wrong answers say 'yes'. Answering 'yes' always would pass 40 of 80; it "
        "passes 55."
    )
    assert words(answer_classes.tell(answer)).splitlines()[1:] == [sentence]
    assert [entry.text for entry in answer_classes.brief(answer)] == [sentence]


def test_an_expected_answer_that_is_missed_more_often() -> None:
    keys = ["up", "down", "left", "right"]
    wrong = {task: keys[(task // 4) % 3] for task in range(80) if task % 4 == 3 and task > 20}
    cases = [case(task, wrong.get(task, keys[task % 4]), keys[task % 4]) for task in range(80)]
    answer = answer_classes.ask([run_of("a", cases)])
    assert answer is not None
    assert [entry["key"] for entry in answer["hard_keys"]] == ["right"]
    assert (
        "Where 'right' is expected, 5 of 20 rollouts pass, elsewhere 60 of 60 (failing: 23, 27, 31, 35, 39, 43, 47, "
        "51, 55, 59, 63, 67 and 3 more)."
    ) in words(answer_classes.tell(answer))


def test_an_answer_that_is_hardly_ever_given_wrongly_is_avoided() -> None:
    keys = ["up", "down", "left", "right"]
    cases = []
    for task in range(160):
        key = keys[task % 4]
        others = [name for name in keys[:3] if name != key]
        cases.append(case(task, key if task % 8 < 4 and key != "right" else others[task // 8 % len(others)], key))
    answer = answer_classes.ask([run_of("a", cases)])
    assert answer is not None
    assert answer["leanings"] == []
    sentence = (
        "a avoids 'right': it gives it in 0 of 160 answers, while 40 expect it (it passes 0 of those); of its 60 wrong "
        "answers where another is expected none says 'right'. Most above what is expected it gives 'down': 54 times, "
        "40 expected."
    )
    assert sentence in words(answer_classes.tell(answer))
    assert [entry.text for entry in answer_classes.brief(answer)] == [sentence]


def test_open_answers_are_no_small_set() -> None:
    assert (
        answer_classes.ask([run_of("a", [case(task, str(task), str(task + task % 2)) for task in range(60)])]) is None
    )


@pytest.mark.parametrize("classes", [2, 4])
def test_answers_that_err_by_chance_show_no_leaning_and_no_hard_key(classes: int) -> None:
    generator = random.Random(classes)
    names = ["north", "south", "east", "west"][:classes]
    claims = 0
    for _ in range(60):
        keys = [generator.choice(names) for _ in range(60)]
        cases = [
            case(task, generator.choice(names) if generator.random() < 0.5 else key, key)
            for task, key in enumerate(keys)
        ]
        answer = answer_classes.ask([run_of("a", cases)])
        claims += bool(answer and (answer["leanings"] or answer["avoided"] or answer["hard_keys"]))
    assert claims <= 3


def test_one_answer_given_always_is_held_against_the_runs() -> None:
    keys = ["yes"] * 20 + ["no"] * 16
    rows = [case(task, "no" if task % 2 else "yes", key) for task, key in enumerate(keys)]
    unread = made_case(40, passed=False, observed={"answer": {"source": "empty", "key": ["yes"]}})
    good = [case(task, key, key) for task, key in enumerate(keys)]
    answer = answer_classes.ask([run_of("coin", [*rows, unread]), run_of("good", good)])
    assert answer is not None
    sentence = "Answering 'yes' always would pass 21 of 37 (56.8%) of coin, which passes 18."
    assert sentence in words(answer_classes.tell(answer))
    assert [head.text for head in answer_classes.brief(answer)] == [sentence]
