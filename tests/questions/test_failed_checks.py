"""Which checks fail, alone or with others, and which run fails one beyond chance."""

from __future__ import annotations

import orjson
from tests.questions.made_cases import case as made_case
from tests.questions.made_cases import run_of, words

from blade.diagnosis.cases import Case
from blade.questions import failed_checks

NAMES = ("opens", "sheets", "values")


def case(task: int, run: str, *missed: str, named: bool = True) -> Case:
    made = made_case(task, passed=not missed)
    made.run = run
    made.checks_json = orjson.dumps({name: int(name not in missed) for name in NAMES}).decode() if named else None
    return made


def two_runs(missed: tuple[str, ...], *, named: bool = True) -> list[list[Case]]:
    """Ten tasks twice: the first run misses some checks in each, the second one check in every second task."""
    first = [case(task, "a", *missed) for task in range(10)] + [case(task, "a", named=named) for task in range(10)]
    second = [case(task, "b", *(("values",) if task % 2 else ()), named=named or task % 2 > 0) for task in range(10)]
    return [first, second + [case(task, "b", named=named) for task in range(10)]]


def test_a_check_that_one_run_alone_fails_is_told_with_how_often_it_stands_alone() -> None:
    runs = [run_of(name, cases) for name, cases in zip("ab", two_runs(("sheets",)), strict=True)]
    answer = failed_checks.ask(runs)
    assert answer is not None
    assert [(entry["check"], entry["failing"], entry["alone"]) for entry in answer["checks"]] == [
        ("sheets", 10, 10),
        ("values", 5, 5),
    ]
    text = words(failed_checks.tell(answer))
    assert "sheets | 10 of 20 (10) | 0 of 20 | 10" in text
    assert "values | 0 of 20 | 5 of 20 (5) | 5" in text
    (told,) = failed_checks.brief(answer)
    assert told.text == (
        "“sheets” fails in 10 of 20 rollouts of a (50.0%; 0, 1, 2, 3, 4, 5, 6, 7, 8 and 9), in 10 of them as the only "
        "check that fails; in 0 of 20 of the other run (exact test by task p = 0.0039)."
    ), told.text


def test_what_passes_do_not_name_they_have_met() -> None:
    runs = [run_of(name, cases) for name, cases in zip("ab", two_runs(("sheets",), named=False), strict=True)]
    answer = failed_checks.ask(runs)
    assert answer is not None
    assert "sheets | 10 of 20 (10) | 0 of 20 | 10" in words(failed_checks.tell(answer))


def test_runs_that_fail_alike_are_not_told_apart() -> None:
    def half(run: str) -> list[Case]:
        return [case(task, run, "sheets", *(("values",) if task % 2 else ())) for task in range(12)]

    rows = {run: [*half(run), *(case(task, run) for task in range(12))] for run in "ab"}
    answer = failed_checks.ask([run_of(run, cases) for run, cases in rows.items()])
    assert answer is not None
    assert [(entry["check"], entry["failing"]) for entry in answer["checks"]] == [("sheets", 24), ("values", 12)]
    assert answer["apart"] == []
    assert list(failed_checks.brief(answer)) == []


def test_checks_that_always_fail_together_are_one() -> None:
    rows = [case(task, "a", "opens", "sheets") for task in range(6)]
    rows += [case(task, "a", "values") for task in range(6, 12)] + [case(task, "a") for task in range(12)]
    answer = failed_checks.ask([run_of("a", rows)])
    assert answer is not None
    assert [(entry["check"], entry["failing"], entry["alone"]) for entry in answer["checks"]] == [
        ("opens, sheets", 6, 6),
        ("values", 6, 6),
    ]


def test_checks_of_one_task_are_no_matter_of_runs() -> None:
    rows = [case(1, "a", "sheets", "values") for _ in range(6)] + [case(1, "a") for _ in range(6)]
    assert failed_checks.ask([run_of("a", rows)]) is None
