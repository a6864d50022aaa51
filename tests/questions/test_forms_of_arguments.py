"""Arguments whose form goes with failing, within tasks or by a check that several tasks share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson
import pytest
from tests.gym_rows import Json, analysed, write
from tests.questions.made_cases import called, case, run_of, task_row, words

from blade.diagnosis.cases import Case
from blade.questions import value_forms

DAY, STAMP, SLASHES, ZONE = "9 Aa", "9-9-9A9:9:9A", "9/9/9", "9-9-9A9:9:9"
EXAMPLES = {DAY: "6 May", STAMP: "2031-05-06T10:00:00Z", SLASHES: "06/05/2031", ZONE: "2031-05-06T10:00:00", "": ""}


def writer(
    task: int,
    *forms: str,
    passed: bool,
    tool: str = "book_table",
    argument: str = "when",
    checks: Mapping[str, bool] | None = None,
) -> Case:
    """A rollout that calls one tool and writes one argument in these forms; in none where it leaves it out."""
    arguments = {argument: {form: EXAMPLES[form] for form in forms}} if forms else {}
    rollout = case(task, passed=passed, observed={"forms": {tool: arguments | {"seats": {"number 9": "2"}}}})
    if checks is not None:
        rollout.checks_json = orjson.dumps(checks).decode()
    return rollout


def of_task(task: int, form: str, passing: int, failing: int, **more: Any) -> list[Case]:
    forms = (form,) if form else ()
    return [writer(task, *forms, passed=place < passing, **more) for place in range(passing + failing)]


def asked(*cases: Case) -> Any:
    return value_forms.ask([run_of("red", cases)])


def summaries(answer: Any) -> list[tuple[str, str, bool, bool]]:
    entries = answer["forms"] if answer else []
    return [(entry["argument"], entry["example"], entry["never"], entry["absent"]) for entry in entries]


def failing_days() -> list[Case]:
    """Two tasks: a day without a year passes in 1 of 9 rollouts, a full stamp in 8 of 9."""
    return [
        *of_task(0, DAY, 1, 4),
        *of_task(0, STAMP, 5, 0),
        *of_task(1, DAY, 0, 4),
        *of_task(1, STAMP, 3, 1),
    ]


def test_a_form_that_fails_within_tasks_is_counted_against_the_other_forms() -> None:
    answer = asked(*failing_days())
    (entry,) = answer["forms"]
    assert answer["left_out"] == 0
    assert entry.pop("p") == pytest.approx(2 * 6 / 252 * 5 / 70)
    assert entry == {
        "tool": "book_table",
        "argument": "when",
        "absent": False,
        "never": False,
        "check": "",
        "example": "6 May",
        "other": "2031-05-06T10:00:00Z",
        "rollouts": 9,
        "met": 1,
        "others": 9,
        "other_met": 8,
        "runs": [["red", 9]],
        "tasks": ["0", "1"],
    }


def test_a_form_is_told_with_what_passes_and_what_is_written_elsewhere() -> None:
    answer = asked(*failing_days())
    head = (
        "Where “when” of book_table is written as in “6 May” (others: “2031-05-06T10:00:00Z”), 1 of 9 rollouts pass "
        "(red 9; 0 and 1), elsewhere in 8 of 9 (p = 0.0034, tasks of similar difficulty compared)."
    )
    assert words(value_forms.tell(answer)) == (
        f"{head}\nA form may also stand for what the model did not look up: read one rollout of each."
    )
    (sentence,) = value_forms.brief(answer)
    assert sentence.text == head
    (advice,) = value_forms.advise(answer)
    assert (advice.kind, advice.rollouts, advice.sure, advice.before_scores) == ("prompt", 8, 0.5, False)
    assert advice.change == (
        "Say in the description of book_table in which form “when” is wanted, with an example, or have the tool "
        "refuse any other"
    )
    assert advice.because.text == "Of 9 rollouts that write it as in “6 May” 1 pass."


def test_rollouts_of_several_runs_are_counted_by_run_and_every_run_by_its_own_tasks() -> None:
    runs = [
        run_of(name, [*of_task(0, DAY, 0, days), *of_task(0, STAMP, 4, 0), *of_task(1, DAY, 0, 2)])
        for name, days in (("red", 3), ("blue", 5))
    ]
    answer = value_forms.ask(runs)
    assert answer is not None
    (entry,) = answer["forms"]
    assert (entry["runs"], entry["rollouts"], entry["others"]) == ([["red", 5], ["blue", 7]], 12, 8)
    assert "(red 5 and blue 7; 0 and 1)" in words(value_forms.tell(answer))


def test_a_form_of_tasks_that_always_fail_is_no_evidence() -> None:
    apart = [*of_task(0, DAY, 0, 8), *of_task(1, DAY, 0, 8), *of_task(2, STAMP, 8, 0), *of_task(3, STAMP, 8, 0)]
    assert asked(*apart) is None


def test_a_form_that_passes_more_often_is_not_told_and_its_absence_is() -> None:
    """The first form that is met is the one that passes: told is who never writes it."""
    answer = asked(*reversed(failing_days()))
    assert summaries(answer) == [("when", "2031-05-06T10:00:00Z", True, False)]
    (entry,) = answer["forms"]
    assert (entry["met"], entry["rollouts"], entry["other_met"], entry["others"]) == (1, 9, 8, 9)


def test_rollouts_that_never_write_a_form_are_told_where_their_own_forms_are_many() -> None:
    """Three failing forms are too few each; together they are who never writes a stamp."""
    cases = []
    for task in (0, 1):
        cases += of_task(task, STAMP, 6, 0)
        cases += [*of_task(task, DAY, 0, 2), *of_task(task, SLASHES, 0, 1), *of_task(task, ZONE, 0, 1)]
    answer = asked(*cases)
    assert summaries(answer) == [("when", "2031-05-06T10:00:00Z", True, False)]
    (entry,) = answer["forms"]
    assert (entry["other"], entry["rollouts"], entry["met"], entry["others"], entry["other_met"]) == (
        "6 May",
        8,
        0,
        12,
        12,
    )
    assert words(value_forms.tell(answer)).startswith(
        "Where “when” of book_table is never written as in “2031-05-06T10:00:00Z” (but as in “6 May”), 0 of 8 rollouts "
        "pass (red 8; 0 and 1), elsewhere in 12 of 12 (p = "
    )
    (advice,) = value_forms.advise(answer)
    assert advice.because.text == "Of 8 rollouts that never write it as in “2031-05-06T10:00:00Z” 0 pass."


def test_who_writes_both_forms_writes_the_one_and_is_none_of_those_that_never_write_the_other() -> None:
    cases = []
    for task in (0, 1):
        cases += of_task(task, STAMP, 6, 0)
        cases += of_task(task, SLASHES, 6, 0)
        cases += [writer(task, DAY, STAMP, passed=False) for _ in range(4)]
    answer = asked(*cases)
    assert summaries(answer) == [("when", "6 May", False, False)]
    assert (answer["forms"][0]["rollouts"], answer["forms"][0]["others"]) == (8, 24)


@pytest.mark.parametrize("absent_first", [True, False])
def test_an_argument_that_is_left_out_is_told_so(absent_first: bool) -> None:
    cases = []
    for task in (0, 1):
        bare, dated = of_task(task, "", 0, 5), of_task(task, STAMP, 5, 0)
        cases += [*bare, *dated] if absent_first else [*dated, *bare]
    answer = asked(*cases)
    (entry,) = answer["forms"]
    assert (entry["absent"], entry["never"]) == (True, not absent_first)
    assert (entry["rollouts"], entry["met"], entry["others"], entry["other_met"]) == (10, 0, 10, 10)
    others = " (others: “2031-05-06T10:00:00Z”)" if absent_first else ""
    assert words(value_forms.tell(answer)).startswith(
        f"Where “when” of book_table is left out{others}, 0 of 10 rollouts pass (red 10; 0 and 1), elsewhere in 10 of "
        "10 (p = "
    )
    (advice,) = value_forms.advise(answer)
    assert advice.because.text == "Of 10 rollouts that leave it out 0 pass."


def test_who_does_not_call_the_tool_does_not_leave_its_argument_out() -> None:
    cases = []
    for task in (0, 1):
        cases += of_task(task, STAMP, 5, 0)
        cases += of_task(task, DAY, 0, 5, tool="list_tables", argument="day")
    assert asked(*cases) is None


def test_who_leaves_an_argument_out_once_is_counted_with_those_that_leave_it_out() -> None:
    cases = []
    for task in (0, 1):
        cases += [writer(task, STAMP, "", passed=False) for _ in range(5)]
        cases += of_task(task, STAMP, 5, 0)
    answer = asked(*cases)
    assert summaries(answer) == [("when", "", False, True)]


def test_who_always_gives_an_argument_in_any_form_is_not_told_as_never_leaving_it_out() -> None:
    cases = []
    for task in (0, 1):
        cases += of_task(task, "", 6, 0)
        cases += [*of_task(task, DAY, 0, 2), *of_task(task, SLASHES, 0, 1), *of_task(task, ZONE, 0, 1)]
    assert asked(*cases) is None


def sized(inside: int, outside: int, tasks: Sequence[int] = (0, 1)) -> list[Case]:
    """Rollouts of the tasks by turns: a day always fails, a stamp always passes."""
    days = [writer(tasks[place % len(tasks)], DAY, passed=False) for place in range(inside)]
    stamps = [writer(tasks[place % len(tasks)], STAMP, passed=True) for place in range(outside)]
    return [*days, *stamps]


def test_few_rollouts_on_either_side_say_nothing() -> None:
    assert summaries(asked(*sized(5, 40))) == [("when", "6 May", False, False)]
    assert asked(*sized(4, 40)) is None
    assert summaries(asked(*sized(40, 5))) == [("when", "6 May", False, False)]
    assert asked(*sized(40, 4)) is None


def test_one_task_says_nothing() -> None:
    assert asked(*sized(20, 20, [0])) is None
    two = [*sized(20, 20, [0]), writer(1, DAY, passed=False)]
    assert summaries(asked(*two)) == [("when", "6 May", False, False)]


def test_what_chance_explains_is_not_told() -> None:
    """One task speaks: 5 against 5 come so by chance once in 126 times, 4 against 4 once in 35."""
    rest = [*of_task(1, DAY, 0, 4), *of_task(1, STAMP, 0, 1)]
    sure = asked(*of_task(0, DAY, 0, 5), *of_task(0, STAMP, 5, 0), *rest)
    assert sure["forms"][0]["p"] == pytest.approx(2 / 252)
    assert asked(*of_task(0, DAY, 0, 4), *of_task(0, STAMP, 4, 0), *rest) is None


def test_all_forms_that_are_tested_count_against_chance() -> None:
    """A second tool whose forms go with nothing sure doubles what is tested."""
    rest = [*of_task(1, DAY, 0, 4), *of_task(1, STAMP, 0, 1)]
    sure = [*of_task(0, DAY, 0, 5), *of_task(0, STAMP, 5, 0), *rest]
    doubtful = {"tool": "list_tables", "argument": "day"}
    noise = [
        *of_task(2, DAY, 2, 4, **doubtful),
        *of_task(2, STAMP, 4, 2, **doubtful),
        *of_task(3, DAY, 0, 1, **doubtful),
    ]
    assert summaries(asked(*sure)) == [("when", "6 May", False, False)]
    assert asked(*sure, *noise) is None


def test_a_form_that_passes_a_little_less_often_is_not_told() -> None:
    def shared(passing: int) -> Any:
        cases = []
        for task in (0, 1):
            cases += [*of_task(task, DAY, passing, 100 - passing), *of_task(task, STAMP, 90, 10)]
        return asked(*cases)

    assert shared(66) is None
    assert summaries(shared(65)) == [("when", "6 May", False, False)]


def with_check(form: str, tasks: Sequence[int], met: int, name: str = "booked on time") -> list[Case]:
    return [writer(task, form, passed=False, checks={name: place < met}) for place, task in enumerate(tasks)]


def test_a_form_that_fails_a_check_that_tasks_share_is_held_against_all_that_have_it() -> None:
    """Nobody passes, and each task is written in one form: only the check tells the forms apart."""
    answer = asked(*with_check(DAY, range(10), 1), *with_check(STAMP, range(10, 20), 9))
    (entry,) = answer["forms"]
    assert (entry["check"], entry["rollouts"], entry["met"], entry["others"], entry["other_met"]) == (
        "booked on time",
        10,
        1,
        10,
        9,
    )
    assert entry["p"] == pytest.approx(0.00109, rel=0.01)
    assert words(value_forms.tell(answer)).startswith(
        "Where “when” of book_table is written as in “6 May” (others: “2031-05-06T10:00:00Z”), the check “booked on "
        "time” is met in 1 of 10 rollouts (red 10; 0, 1, 2, 3, 4, 5, 6, 7, 8 and 9), elsewhere in 9 of 10 (p = 0.0011, "
        "over all tasks that have it)."
    )
    (advice,) = value_forms.advise(answer)
    assert advice.rollouts == 9
    assert advice.because.text == "Of 10 rollouts that write it as in “6 May” 1 meet “booked on time”."


def test_a_check_of_few_tasks_is_none_that_tasks_share() -> None:
    two = [*with_check(DAY, [0, 1] * 5, 0), *with_check(STAMP, [0, 1] * 5, 10)]
    assert asked(*two) is None
    three = [*with_check(DAY, [0, 1] * 5, 0), *with_check(STAMP, [0, 2] * 5, 10)]
    assert summaries(asked(*three)) == [("when", "6 May", False, False)]


def test_rollouts_without_the_check_are_left_out() -> None:
    cases = [*with_check(DAY, range(10), 0), *with_check(STAMP, range(10, 20), 10)]
    elsewhere = [*with_check(DAY, range(20, 30), 10, "seated"), *with_check(STAMP, range(30, 40), 10, "seated")]
    answer = asked(*cases, *elsewhere)
    (entry,) = answer["forms"]
    assert (entry["check"], entry["rollouts"], entry["others"]) == ("booked on time", 10, 10)


def test_a_check_that_is_met_a_little_less_often_is_not_told() -> None:
    def shared(met: int) -> Any:
        return asked(*with_check(DAY, [*range(5)] * 20, met), *with_check(STAMP, [*range(5)] * 20, 90))

    assert shared(51) is None
    assert summaries(shared(50)) == [("when", "6 May", False, False)]


def paired(sides: Mapping[tuple[bool, bool], int]) -> Any:
    """A second task of rollouts that write a failing form in the one argument, the other, both or none of them."""
    cases = []
    for (day, zone), rollouts in sides.items():
        forms = {"when": {DAY if day else STAMP: "a day"}, "until": {SLASHES if zone else ZONE: "an end"}}
        for place in range(rollouts):
            observed = {"forms": {"book_table": forms}}
            cases.append(case(place % 2, passed=not (day or zone), observed=observed))
    return asked(*cases)


def test_of_forms_in_mostly_the_same_rollouts_the_first_alone_is_told() -> None:
    same = paired({(True, True): 12, (False, False): 30})
    assert [entry["argument"] for entry in same["forms"]] == ["until"]
    assert same["left_out"] == 0
    half = paired({(True, True): 12, (True, False): 6, (False, True): 6, (False, False): 40})
    assert [entry["argument"] for entry in half["forms"]] == ["until"]
    less = paired({(True, True): 11, (True, False): 6, (False, True): 6, (False, False): 40})
    assert [entry["argument"] for entry in less["forms"]] == ["until", "when"]


def test_the_surest_form_comes_first_and_the_rest_is_counted() -> None:
    cases = []
    for place in range(8):
        named = {"tool": f"book_{place}", "argument": "when"}
        tasks = (2 * place, 2 * place + 1)
        for task in tasks:
            cases += [*of_task(task, DAY, 0, 6 + place, **named), *of_task(task, STAMP, 6 + place, 0, **named)]
    answer = asked(*cases)
    assert [entry["tool"] for entry in answer["forms"]] == [f"book_{place}" for place in (7, 6, 5, 4, 3, 2)]
    assert answer["left_out"] == 2
    chances = [entry["p"] for entry in answer["forms"]]
    assert chances == sorted(chances)
    report = words(value_forms.tell(answer))
    assert report.count("is written as in “6 May”") == 6
    assert report.endswith(": read one rollout of each. 2 more forms in analysis.json.")
    (sentence,) = value_forms.brief(answer)
    assert "of book_7 is written" in sentence.text
    changes = [advice.change for advice in value_forms.advise(answer)]
    assert len(changes) == 6
    assert changes[1].startswith("Say in the description of book_6 in which form “when” is wanted")


def test_a_surer_form_comes_before_one_of_more_rollouts() -> None:
    cases = []
    for task in (0, 1):
        many = {"tool": "book_many", "argument": "when"}
        cases += [*of_task(task, DAY, 12, 12, **many), *of_task(task, STAMP, 12, 0, **many)]
        cases += [*of_task(task, DAY, 0, 8), *of_task(task, STAMP, 8, 0)]
    answer = asked(*cases)
    assert [(entry["tool"], entry["rollouts"]) for entry in answer["forms"]] == [("book_table", 16), ("book_many", 48)]


def test_rollouts_without_forms_say_nothing() -> None:
    assert asked(*(case(task % 2, passed=task > 20) for task in range(40))) is None
    assert value_forms.ask([]) is None


def test_an_example_is_printed_in_one_line() -> None:
    cases = failing_days()
    for rollout in cases:
        rollout.observed_json = (rollout.observed_json or "").replace("6 May", "6\\u202e  May")
    (sentence,) = value_forms.brief(asked(*cases))
    assert "as in “6 May” (others" in sentence.text


def test_forms_are_read_out_of_rows(tmp_path: Path) -> None:
    """A day without a year fails in both tasks; what is passed to a shell is no form."""

    def rollout(task: int, place: int, when: str, *, passed: bool) -> Json:
        calls = [
            called("book_table", {"when": when, "seats": 2}, "booked"),
            called("bash", {"command": "ls" if passed else "LS"}, "done"),
        ]
        return task_row(task, *calls, passed=passed, _ng_rollout_index=place)

    rows = []
    for task in (0, 1):
        rows += [rollout(task, place, f"{place + 1} May", passed=False) for place in range(5)]
        rows += [rollout(task, place + 5, f"2031-05-0{place + 1}", passed=True) for place in range(5)]
    answer = analysed(write(tmp_path / "red.jsonl", rows)).investigation["value_forms"]
    (entry,) = answer["forms"]
    assert (entry["tool"], entry["argument"], entry["example"], entry["other"]) == (
        "book_table",
        "when",
        "1 May",
        "2031-05-01",
    )
    assert (entry["rollouts"], entry["met"], entry["others"], entry["other_met"]) == (10, 0, 10, 10)
