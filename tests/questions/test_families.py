"""Families of ids: the union over all runs, what none passes, what one run passes alone."""

from __future__ import annotations

from tests.questions.made_cases import case, run_of, words

from blade.diagnosis.cases import Case, RunCases
from blade.questions import families


def _cases(solved: set[int], label: str = "{family}_item-{task}") -> list[Case]:
    made = []
    for task in range(40):
        one = case(task, passed=task in solved)
        one.label = label.format(family="alpha" if task < 15 else "beta" if task < 30 else "gamma", task=task)
        made.append(one)
    return made


def _runs(first: set[int], second: set[int]) -> list[RunCases]:
    return [run_of("old", _cases(first)), run_of("new", _cases(second))]


def test_the_family_that_no_run_solves_is_named_with_the_union_and_what_one_run_passes_alone() -> None:
    answer = families.ask(_runs(set(range(15, 38)), set(range(17, 40))))
    assert answer is not None
    assert (answer["union"], answer["never"]) == (25, 15)
    told = words(families.tell(answer))
    assert "Of 40 tasks in 3 families of ids, 25 are passed by some run and 15 by none." in told
    assert "Significantly more often unsolved than the others: alpha (15 of 15: alpha_item-0, alpha_item-1" in told
    assert "beta | 15 | 15 (alone: old 2) | 0 | 15 of 15 | 13 of 15" in told


def test_tasks_outside_any_family_are_told_beside_them() -> None:
    alone = case(40, passed=True)
    alone.label = "delta_item-40"
    answer = families.ask([run_of("old", [*_cases(set(range(15, 40))), alone])])
    assert answer is not None
    told = words(families.tell(answer))
    assert (
        "Of 41 tasks, 40 belong to 3 families of ids with at least 3 each, the others to none; 26 of all are passed by "
        "some run and 15 by none." in told
    )


def test_families_that_do_not_differ_and_ids_without_any_are_not_told() -> None:
    assert families.ask(_runs(set(range(0, 40, 2)), set(range(0, 40, 3)))) is None
    assert families.ask([run_of("old", _cases(set(range(15, 40)), "{task}"))]) is None
    assert families.ask([run_of("old", _cases(set(range(15, 40)), "one{task}"))]) is None
