"""Checks of tasks that nobody passes, where most rollouts of several runs agree on another result."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.gym_rows import Json, analysed, row, write
from tests.questions.made_cases import case, run_of, words

from blade.diagnosis.cases import Case
from blade.questions import wanted_and_got

AGREED = "9 jars"
SUSPECT = (
    "In 1 task that no run passes most rollouts come to one result, and the check wants another: 4 (wants 7 jars, gets "
    "9 jars: {agreeing} of {judged})."
)


def rollouts(task: int, *results: str) -> list[Case]:
    """Rollouts of a task that wants 7 jars; one that gets 7 jars passes."""
    return [
        case(task, passed=got == "7 jars", observed={"result": {"kind": "other", "got": got, "expected": "7 jars"}})
        for got in results
    ]


def asked(**runs: list[Case]) -> Any:
    return wanted_and_got.ask([run_of(name, cases) for name, cases in runs.items()])


def suspected(answer: Any) -> bool:
    """Whether a check is told as suspect: all parts of the report agree."""
    parts = [
        bool(list(wanted_and_got.brief(answer))),
        bool(list(wanted_and_got.health(answer))),
        bool(list(wanted_and_got.advise(answer))),
        "the check wants another" in words(wanted_and_got.tell(answer)),
    ]
    assert len(set(parts)) == 1
    return parts[0]


def test_a_result_of_most_rollouts_of_two_runs_makes_the_check_suspect() -> None:
    answer = asked(red=rollouts(4, AGREED, AGREED, "3 jars"), blue=rollouts(4, AGREED, "5 jars"))
    statement = SUSPECT.format(agreeing=3, judged=5)
    (sentence,) = wanted_and_got.brief(answer)
    assert sentence.text == statement
    (item,) = wanted_and_got.health(answer)
    assert (item["check"], item["severity"], list(item["tasks"])) == ("suspect_gold", "medium", ["4"])
    assert item["statement"] == statement
    assert words(wanted_and_got.tell(answer)).startswith(
        "In 1 task one comparison of the tests fails word for word in several rollouts. A wrong or hidden key and a "
        f"trap look alike: read the task. {statement}\n"
    )
    assert "4 | wants 7 jars, gets 9 jars | 3 | 2 | 5 | 0" in words(wanted_and_got.tell(answer))


def test_the_advice_names_the_tasks_and_counts_the_rollouts_that_agree() -> None:
    answer = asked(
        red=[*rollouts(12, AGREED, AGREED, AGREED), *rollouts(4, AGREED, AGREED)],
        blue=[*rollouts(12, AGREED, AGREED, AGREED), *rollouts(4, AGREED, AGREED, "5 jars")],
    )
    assert [entry["task"] for entry in answer["results"]] == ["12", "4"]
    (advice,) = wanted_and_got.advise(answer)
    assert (advice.kind, advice.rollouts, advice.sure, advice.before_scores) == ("data", 10, 0.5, True)
    assert advice.change == (
        "Work out by hand what the checks of 4 and 12 should want; repair or drop what is wrong, and judge again"
    )
    assert advice.because.text == "10 rollouts of several runs come to one other result there, and none passes."
    (item,) = wanted_and_got.health(answer)
    assert sorted(item["tasks"]) == ["12", "4"]


def test_less_than_three_fifths_of_the_rollouts_are_not_most() -> None:
    exact = asked(red=rollouts(4, AGREED, AGREED, "3 jars"), blue=rollouts(4, AGREED, "5 jars"))
    fewer = asked(red=rollouts(4, AGREED, AGREED, "3 jars"), blue=rollouts(4, AGREED, "5 jars", "8 jars"))
    assert [entry["rollouts"] for entry in (*exact["results"], *fewer["results"])] == [3, 3]
    assert suspected(exact)
    assert not suspected(fewer)


def test_a_single_pass_clears_the_check() -> None:
    failing = {"red": rollouts(4, *[AGREED] * 5), "blue": rollouts(4, *[AGREED] * 4, "5 jars")}
    assert suspected(asked(**failing))
    answer = asked(**(failing | {"blue": rollouts(4, *[AGREED] * 4, "7 jars")}))
    assert (answer["results"][0]["rollouts"], answer["results"][0]["passes"]) == (9, 1)
    assert not suspected(answer)


def test_a_run_that_agrees_with_itself_alone_is_no_suspicion() -> None:
    answer = asked(red=rollouts(4, *[AGREED] * 8), blue=rollouts(4, "5 jars"))
    assert (answer["results"][0]["rollouts"], answer["results"][0]["runs"]) == (8, 1)
    assert not suspected(answer)
    assert suspected(asked(red=rollouts(4, *[AGREED] * 8), blue=rollouts(4, AGREED)))


def test_two_rollouts_are_too_few() -> None:
    assert not suspected(asked(red=rollouts(4, AGREED), blue=rollouts(4, AGREED)))
    assert suspected(asked(red=rollouts(4, AGREED), blue=rollouts(4, AGREED), grey=rollouts(4, AGREED)))


def test_only_suspect_tasks_are_named_among_those_whose_results_come_back() -> None:
    spread = ("1 jar", "2 jars", "3 jars", "5 jars")
    answer = asked(
        red=[*rollouts(4, AGREED, AGREED), *rollouts(6, AGREED, *spread)],
        blue=[*rollouts(4, AGREED), *rollouts(6, AGREED, *(f"{jars} here" for jars in spread))],
    )
    assert [entry["task"] for entry in answer["results"]] == ["4", "6"]
    (sentence,) = wanted_and_got.brief(answer)
    assert sentence.text == SUSPECT.format(agreeing=3, judged=3)
    (item,) = wanted_and_got.health(answer)
    assert list(item["tasks"]) == ["4"]
    (advice,) = wanted_and_got.advise(answer)
    assert "the checks of 4 should want" in advice.change
    assert advice.rollouts == 3


def test_a_few_suspects_are_shown_and_the_rest_is_counted() -> None:
    def cases() -> list[Case]:
        return [one for task in range(7) for one in rollouts(task, AGREED, AGREED)]

    (sentence,) = wanted_and_got.brief(asked(red=cases(), blue=cases()))
    assert sentence.text.startswith("In 7 tasks that no run passes most rollouts come to one result")
    assert sentence.text.count("wants 7 jars, gets 9 jars: 4 of 4") == 5
    assert sentence.text.endswith(" and 2 more.")


def test_nothing_that_comes_back_is_no_suspicion() -> None:
    seen = {"compared": [["50", "<=", "42"]]}
    answer = asked(red=[case(4, passed=False, observed=seen)], blue=[case(4, passed=False, observed=seen)])
    assert answer["results"] == []
    assert not suspected(answer)


@pytest.mark.parametrize(
    ("got", "wanted", "telling"),
    [
        ("11", "13", True),
        ("110", "13", True),
        ("1", "13", False),
        ("11", "3", False),
        ("no", "yes", False),
        ("yes", "no", False),
        ("oak", "elm", True),
        ("-1", "13", False),
        ("1.5", "2.5", True),
    ],
)
def test_short_results_are_equal_by_chance(got: str, wanted: str, telling: bool) -> None:
    def cases() -> list[Case]:
        seen = {"result": {"kind": "other", "got": got, "expected": wanted}}
        return [case(4, passed=False, observed=seen) for _ in range(2)]

    answer = asked(red=cases(), blue=cases())
    assert (answer is not None) is telling
    if telling:
        assert suspected(answer)
        assert answer["results"][0]["words"] == f"wants {wanted}, gets {got}"


def test_words_of_a_verifier_are_read_out_of_the_rows_of_two_runs(tmp_path: Path) -> None:
    def judged_row(task: int, attempt: int, got: str) -> Json:
        message = f"shelf {task}: got '{got}', want '7 jars'."
        fields = {"verifier": {"message": message}, "expected_answer": None, "extracted_answer": None}
        return row(task, attempt, float(got == "7 jars"), **fields)

    rows = [judged_row(4, attempt, AGREED) for attempt in range(2)]
    rows += [judged_row(6, attempt, got) for attempt, got in enumerate((AGREED, AGREED, "7 jars"))]
    paths = [f"{name}={write(tmp_path / f'{name}.jsonl', rows)}" for name in ("red", "blue")]
    answer = analysed(*paths).investigation["wanted_and_got"]
    assert [(entry["task"], entry["rollouts"], entry["passes"]) for entry in answer["results"]] == [
        ("4", 4, 0),
        ("6", 4, 2),
    ]
    (sentence,) = wanted_and_got.brief(answer)
    assert sentence.text == SUSPECT.format(agreeing=4, judged=4)
