"""How many changes a task expects, and in what shape failures differ from them."""

from __future__ import annotations

import pytest
from tests.gym_rows import Json, analysed, write
from tests.questions.made_cases import called, said, task_row, words

from blade.model import Analysis
from blade.questions import failure_shapes, key_size


def key(*changes: tuple[str, Json]) -> Json:
    return {"expected_actions": [{"name": name, "arguments": arguments} for name, arguments in changes]}


def lend(book: str) -> tuple[str, Json]:
    return "lend_book", {"book": book}


def made(*changes: tuple[str, Json], answer: Json | str = {"ok": True}) -> list[Json]:  # noqa: B006 (never changed)
    return [item for name, arguments in changes for item in called(name, arguments, answer)]


def rows(*, second_fails: bool) -> list[Json]:
    """Ten tasks of one change, all right; six of two, of which only the first is made; two of none; one is refused."""
    found = [
        task_row(task, made(lend(f"b{task}")), said("Done."), passed=True, **key(lend(f"b{task}")))
        for task in range(10)
    ]
    for task in range(10, 16):
        pair = lend(f"b{task}"), lend(f"c{task}")
        done = pair[:1] if second_fails else pair
        found.append(task_row(task, made(*done), said("Done."), passed=not second_fails, **key(*pair)))
    found += [task_row(task, said("Nothing to do."), passed=True, **key()) for task in (16, 17)]
    refused = lend("rare")
    found.append(task_row(18, made(refused, answer="Error: not for loan"), passed=True, **key(refused)))
    wrong = made(lend("x19"))
    found.append(task_row(19, wrong, said("Done."), passed=False, **key(lend("b19"))))
    found.append(task_row(20, said("I am sorry."), passed=False, **key(lend("b20"))))
    right = made(lend("b21"))
    found.append(task_row(21, right, said("Done."), passed=False, **key(lend("b21"))))
    return found


@pytest.fixture(scope="module")
def analysis(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    folder = tmp_path_factory.mktemp("keys")
    good = write(folder / "good.jsonl", [line | {"agent_ref": {"name": "g"}} for line in rows(second_fails=False)])
    half = write(folder / "half.jsonl", rows(second_fails=True))
    return analysed(f"good={good}", f"half={half}")


def test_scores_are_counted_by_the_number_of_changes_that_the_environment_accepts(analysis: Analysis) -> None:
    groups = {group["changes"]: group for group in analysis.investigation["key_size"]["groups"]}
    assert {size: group["tasks"] for size, group in groups.items()} == {0: 3, 1: 13, 2: 6}
    assert groups[2]["runs"] == {"good": {"rollouts": 6, "passes": 6}, "half": {"rollouts": 6, "passes": 0}}


def test_the_group_in_which_two_runs_part_is_named(analysis: Analysis) -> None:
    told = words(key_size.tell(analysis.investigation["key_size"]))
    assert (
        "The net difference between good and half sits in the tasks that expect 2 changes: 6 of 6 against 0 of 6; "
        "elsewhere they are about equal (3 of 3 and 3 of 3 with 0 and 10 of 13 and 10 of 13 with 1). "
        "Chance alone may do that (exact test p = 0.094, corrected)." in told
    ), "six tasks that move one way, and three groups were looked at"


def test_a_key_that_the_environment_refuses_expects_nothing(analysis: Analysis) -> None:
    told = words(key_size.tell(analysis.investigation["key_size"]))
    assert "3 tasks of 22 expect no change at all" in told
    assert "(16, 17 and 18)" in told


def test_shapes_are_told_per_run_and_change_between_runs(analysis: Analysis) -> None:
    good, half = analysis.investigation["failure_shapes"]["runs"]
    assert good["shapes"] == {"nothing done": 1, "omission": 0, "substitution": 1, "extra": 0, "all right": 1}
    assert half["shapes"] == {"nothing done": 1, "omission": 6, "substitution": 1, "extra": 0, "all right": 1}
    told = words(failure_shapes.tell(analysis.investigation["failure_shapes"]))
    assert (
        "half mostly fails by not acting: 7 of its 9 failures are pure omissions (no wrong change), 1 holds a wrong "
        "or an extra change (1 substitution)." in told
    )
    assert "good fails by not acting and by acting wrongly about alike: 1 of its 3 failures is a pure omission" in told
    assert "All changes are right and it fails all the same in: 21." in told
