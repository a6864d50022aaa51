"""How many changes a task expects, and in what shape failures differ from them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.gym_rows import Json, analysed, write
from tests.questions.made_cases import called, said, task_row, words

from blade.document import Table
from blade.model import Analysis
from blade.questions import expected_tools, failure_shapes, key_faults, key_size


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
        "elsewhere they are about equal (3 of 3 and 3 of 3 with 0 and 10 of 13 and 10 of 13 with 1). That may be "
        "chance (exact test p = 0.031, 0.094 corrected for 3 groups). good is ahead in 10, 11, 12, 13, 14 and 15."
        in told
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
        "half mostly fails by not acting: 7 of its 9 failures are pure omissions (nothing done, or no wrong "
        "change), 1 holds a wrong or an extra change (1 substitution)." in told
    )
    assert "good fails both by not acting and by acting wrongly: 1 of its 3 failures is a pure omission" in told
    assert "All changes are right but it still fails in: 21." in told


def test_an_omission_that_a_limit_cut_is_said_to_be_that_and_one_failure_makes_no_way(tmp_path: Path) -> None:
    cut = task_row(0, made(lend("b0")), passed=False, **key(lend("b0"), lend("c0")))
    cut["response"] |= {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
    well = [
        task_row(task, made(lend(f"b{task}")), said("Done."), passed=True, **key(lend(f"b{task}"))) for task in (1, 2)
    ]
    found = analysed(write(tmp_path / "shelf.jsonl", [cut, *well])).investigation["failure_shapes"]
    told = words(failure_shapes.tell(found))
    assert "shelf: 1 of its 1 failure is a pure omission" in told, told
    assert "mostly fails" not in told
    assert "1 of the omissions was cut off by a limit, and may have gone on." in told
    assert "In 3 of its 3 rollouts whose key lists a change some change was accepted." in told


def test_who_leaves_out_what_the_environment_refuses_has_left_out_nothing(tmp_path: Path) -> None:
    rare, wanted = lend("rare"), lend("b1")
    refusal = made(rare, answer="Error: not for loan")
    more = [
        task_row(0, refusal, said("Sorry."), passed=True, **key(rare)),
        task_row(1, refusal, made(lend("x2")), said("Another."), passed=False, **key(rare)),
        task_row(2, made(wanted), said("Done."), passed=False, **key(rare, wanted)),
    ]
    answer = analysed(write(tmp_path / "one.jsonl", more)).investigation["failure_shapes"]
    (one,) = answer["runs"]
    assert one["shapes"] == {"nothing done": 0, "omission": 0, "substitution": 0, "extra": 1, "all right": 1}
    assert (one["needing"], one["changed"], one["right"]) == (1, 1, ["2"])
    table = failure_shapes.tell(answer)[0]
    assert isinstance(table, Table)
    assert "Expected changes that the environment refuses are not counted." in table.caption


def test_a_failure_where_nothing_was_to_be_changed_is_not_said_to_have_all_changes_right(tmp_path: Path) -> None:
    lines = [
        task_row(0, made(lend("b0")), said("Done."), passed=False, **key(lend("b0"))),
        task_row(1, said("Which book?"), passed=False, **key()),
        task_row(2, made(lend("b2")), said("Done."), passed=True, **key(lend("b2"))),
    ]
    paths = [write(tmp_path / f"{name}.jsonl", lines) for name in ("one", "two", "three")]
    for paths_read, run in ((paths[:1], ""), (paths, "one ")):
        told = words(failure_shapes.tell(analysed(*paths_read).investigation["failure_shapes"]))
        assert f"All changes are right but it still fails in: {run}0" in told
        assert f"No change was expected and none was made, but it still fails in: {run}1" in told


def test_of_one_run_idle_rollouts_unasked_changes_and_handovers_are_told(tmp_path: Path) -> None:
    """Ten tasks want a book lent, ten want nothing; the run hands over, does nothing, or lends where it should not."""
    handed_over = called("call_a_person", {"why": "cannot"}, "called")
    lines = [task_row(task, handed_over, said("Bye."), passed=False, **key(lend(f"b{task}"))) for task in range(6)]
    lines += [task_row(task, said("Which book?"), passed=False, **key(lend(f"b{task}"))) for task in range(6, 9)]
    sale = "sell_book", {"book": "b9"}
    lines.append(task_row(9, made(lend("b9"), sale), said("Done."), passed=True, **key(lend("b9"), sale)))
    lines.append(task_row(20, made(sale), said("Done."), passed=False, **key(lend("b1"), sale)))
    lines += [task_row(task, handed_over, said("Bye."), passed=True, **key()) for task in range(10, 17)]
    lines += [task_row(task, made(lend(f"x{task}")), said("Done."), passed=False, **key()) for task in range(17, 20)]
    answer = analysed(write(tmp_path / "one.jsonl", lines)).investigation
    shapes = words(failure_shapes.tell(answer["failure_shapes"]))
    assert "3 rollouts whose key lists a change make no call at all, and 0 of them pass (6, 7 and 8)." in shapes
    assert (
        "Of its 3 failures in tasks that expect no change, 3 still make one: lend_book in 3 (17, 18 and 19)." in shapes
    )
    assert (
        "Rollouts of one whose last call is call_a_person pass in 7 of 7 where no change is expected, and in 0 of 6 "
        "where one is (exact test p = 0.00058)." in words(key_size.tell(answer["key_size"]))
    )
    tools = words(expected_tools.tell(answer["expected_tools"]))
    assert tools == (
        "Passes of one by expected change, of which a task may have several: lend_book 1 of 11 (9.1%); sell_book 1 of "
        "2 (50.0%)."
    )


def lent(book: str, shelf: str, answer: Json | str = {"ok": True}) -> list[Json]:  # noqa: B006 (never changed)
    """The book is read, with the shelf on which it stands, and lent."""
    return [*called("get_book", {"book": book}, {"book": book, "shelf": shelf}), *made(lend(book), answer=answer)]


@pytest.mark.parametrize(("shelf", "changes"), [("reading room", 0), ("open", 1), ("cellar", 1)])
def test_a_change_that_nobody_tried_is_refused_where_the_state_of_its_object_rules_it_out(
    shelf: str, changes: int, tmp_path: Path
) -> None:
    lines = [task_row(n, lent(f"book-{n}", "open"), passed=True, **key(lend(f"book-{n}"))) for n in range(6)]
    for n in range(6, 9):
        refusal = lent(f"rare-{n}", "reading room", "Error: not for loan")
        lines.append(task_row(n, refusal * (1 + n % 2), passed=False, **key(lend(f"book-{n}"))))
    read = called("get_book", {"book": "book-9"}, {"book": "book-9", "shelf": shelf})
    lines.append(task_row(9, read, said("Sorry."), passed=False, **key(lend("book-9"))))
    found = analysed(write(tmp_path / "one.jsonl", lines)).investigation
    refused = (found.get("key_faults") or {}).get("refused", [])
    assert [one["task"] for one in refused] == ["9"] * (1 - changes)
    (one,) = found["failure_shapes"]["runs"]
    assert one["needing"] == 9 + changes
    if refused:  # one rollout tries the same book twice: rollouts are counted, as beside the errors of tools
        assert (
            'lend_book {"book":"book-9"} was made by no run; its object has shelf “reading room”, with which lend_book '
            "was refused in 3 rollouts and never accepted, while nearly all of 6 accepted calls had “open”."
            in words(key_faults.tell(found["key_faults"]))
        )


def test_changes_that_the_key_lacks_are_counted_over_all_failures_by_their_tool(tmp_path: Path) -> None:
    """Tasks 0 to 3 expect a lend and get a return as well; 4 and 5 expect nothing and get a return; the others pass."""
    lend, back = ("lend_book", {"book": "B1"}), ("return_book", {"book": "B2"})
    rows = [task_row(n, made(lend, back), said("Done."), passed=False, **key(lend)) for n in range(4)]
    rows += [task_row(n, made(back), said("Done."), passed=False, **key()) for n in (4, 5)]
    rows += [task_row(n, made(lend), said("Done."), passed=True, **key(lend)) for n in range(6, 12)]
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["failure_shapes"]
    assert answer["runs"][0]["outside"] == [
        {"tool": "return_book", "rollouts": 6, "tasks": ["0", "1", "2", "3", "4", "5"]}
    ]
    told = words(failure_shapes.tell(answer))
    assert "Its failures with a change that the key lacks, by tool: return_book 6 (6 tasks)." in told


def in_order(*books: str, task: int, passed: bool) -> Json:
    wanted = key(lend("a"), lend("b"))
    return task_row(task, made(*map(lend, books)), said("Done."), passed=passed, **wanted)


def test_right_changes_in_another_order_are_told_where_no_pass_has_one(tmp_path: Path) -> None:
    strict = [in_order("a", "b", task=task, passed=True) for task in range(6)]
    strict += [in_order("b", "a", task=task, passed=False) | {"_ng_rollout_index": 1} for task in range(6)]
    entry = analysed(write(tmp_path / "strict.jsonl", strict)).investigation["failure_shapes"]
    assert entry["reordered"]["rollouts"] == 6
    assert (
        "6 failures make the right changes in another order than the key (strict 6; 0, 1, 2, 3, 4 and 5); the 6 passes "
        "of these tasks keep to the order: read whether the task asks for it."
    ) in words(failure_shapes.tell(entry))
    loose = [*strict, *(in_order("b", "a", task=task, passed=True) | {"_ng_rollout_index": 2} for task in range(6))]
    entry = analysed(write(tmp_path / "loose.jsonl", loose)).investigation["failure_shapes"]
    assert entry["reordered"]["rollouts"] == 0, "these tasks pass in any order"
    assert "another order" not in words(failure_shapes.tell(entry))
