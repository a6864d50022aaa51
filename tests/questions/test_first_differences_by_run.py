"""Of a first difference from the key it is told which run has it beyond chance, compared at the same tasks."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.gym_rows import Json, analysed, write
from tests.questions.made_cases import called, case, run_of, said, task_row, words
from tests.test_every_section import look_up

from blade.diagnosis.cases import Case
from blade.document import Bullets
from blade.extract.against_reference import MISSING, WRONG_ARGUMENT
from blade.questions import first_differences

TASKS = 20


def _row(task: int, card: str) -> Json:
    wanted = {"book": f"b{task}", "card": "blue"}
    key = {"expected_actions": [{"name": "lend_book", "arguments": wanted}]}
    lent = called("lend_book", wanted | {"card": card}, {"ok": True})
    return task_row(task, lent, said("Done."), passed=card == "blue", verifier=key)


def _rows(red: int) -> list[Json]:
    """The first tasks are lent on another card than the key's."""
    return [_row(task, "red" if task < red else "blue") for task in range(TASKS)]


def _cases(*different: int, tasks: int = TASKS, first: int = 0, kind: str = WRONG_ARGUMENT) -> list[Case]:
    """Rollouts of which some, by their tasks, fail and first differ from the key."""
    argument = "card" if kind == WRONG_ARGUMENT else ""
    return [
        case(
            task,
            passed=task not in different,
            observed={"deviation": [kind, "lend_book", "", argument, task]} if task in different else None,
        )
        for task in range(first, first + tasks)
    ]


def _told(**runs: list[Case]) -> str:
    answer = first_differences.ask([run_of(name, cases) for name, cases in runs.items()])
    return "" if answer is None else words(first_differences.tell(answer))


def test_the_run_that_has_it_beyond_chance_is_told_with_the_others(tmp_path: Path) -> None:
    paths = [write(tmp_path / f"{name}.jsonl", _rows(red)) for name, red in (("old", 12), ("new", 1), ("third", 0))]
    answer = analysed(*paths).investigation["first_differences"]
    (entry,) = answer["groups"]
    mostly = entry["mostly"]
    assert [mostly[key] for key in ("run", "rollouts", "of", "others", "of_others")] == ["old", 12, 20, 1, 40]
    assert mostly["p"] < 0.001
    blocks = first_differences.tell(answer)
    assert (
        "Another value of “card” (lend_book) in 13 rollouts: old 12 (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 11) and new "
        "1 (0). old does so in 12 of 20 judged rollouts, the others in 1 of 40 (p = 1.1e-05, by tasks)."
    ) in words(blocks)
    ways = blocks[1]
    assert isinstance(ways, Bullets)
    facts = ways.items[0].sentences[1].facts
    assert [fact.value for fact in facts] == [12, 20, 1, 40]
    for fact in facts:
        path = fact.proof["args"]["path"]
        assert look_up({"investigation": {"first_differences": answer}}, path) == fact.value


def test_it_is_told_of_the_difference_that_it_holds_for_and_of_no_other() -> None:
    old = [*_cases(*range(10), tasks=10), *_cases(10, 11, 12, 13, 14, tasks=8, first=10, kind=MISSING)]
    new = [*_cases(tasks=10), *_cases(14, 15, 16, 17, tasks=8, first=10, kind=MISSING)]
    told = _told(old=old, new=new).split("\n")
    (by_chance,) = [line for line in told if line.startswith("An expected call of lend_book is missing")]
    assert by_chance.endswith(" in 9 rollouts: old 5 (10, 11, 12, 13 and 14) and new 4 (14, 15, 16 and 17).")
    (beyond,) = [line for line in told if line.startswith("Another value of “card”")]
    assert beyond.endswith("old does so in 10 of 18 judged rollouts, new in 0 of 18 (p = 0.0078, by tasks).")


@pytest.mark.parametrize(
    ("old", "new", "marked"),
    [
        pytest.param(12, 1, True, id="one run"),
        pytest.param(1, 12, True, id="the other run"),
        pytest.param(9, 0, True, id="few but sure"),
        pytest.param(8, 0, False, id="not sure"),
        pytest.param(10, 9, False, id="both alike"),
        pytest.param(20, 20, False, id="everywhere"),
    ],
)
def test_chance_is_no_difference_between_runs(old: int, new: int, *, marked: bool) -> None:
    told = _told(old=_cases(*range(old)), new=_cases(*range(new)))
    assert "Another value of “card” (lend_book) in " in told
    assert ("does so in" in told) is marked
    if marked:
        most, least = ("old", "new") if old > new else ("new", "old")
        rollouts, others = max(old, new), min(old, new)
        assert f"{most} does so in {rollouts} of 20 judged rollouts, {least} in {others} of 20 (p = 0.0" in told


def test_a_single_run_and_runs_of_other_tasks_are_not_compared() -> None:
    assert "does so in" not in _told(old=_cases(*range(15)))
    assert "does so in" in _told(old=_cases(*range(15)), new=_cases())
    assert "does so in" not in _told(old=_cases(*range(15)), new=_cases(first=TASKS))


def test_the_more_common_run_is_the_one_with_the_larger_share() -> None:
    """Four attempts each in the old run, one in the new one: 15 of 80 are fewer than 14 of 20."""
    told = _told(old=[*_cases(*range(15)), *_cases(), *_cases(), *_cases()], new=_cases(*range(14)))
    assert "new does so in 14 of 20 judged rollouts, old in 15 of 80 (p = " in told


@pytest.mark.parametrize(("old", "marked"), [(7, False), (8, True)])
def test_a_difference_of_few_rollouts_is_not_asked_about(old: int, *, marked: bool) -> None:
    """Nobody has it in four other attempts at each task: it is beyond chance either way."""
    told = _told(old=_cases(*range(old)), new=[one for _ in range(4) for one in _cases()])
    assert f"Another value of “card” (lend_book) in {old} rollouts" in told
    assert ("does so in" in told) is marked
