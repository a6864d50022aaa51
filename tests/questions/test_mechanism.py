"""What carries the lost points: features that grew, go with failing, and hold the failures."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import polars as pl
import pytest
from tests.gym_rows import Json, analysed, write
from tests.questions.made_cases import called, case, said, task_row, words

from blade.counting.run import Run
from blade.diagnosis import features as feature_module
from blade.diagnosis.cases import Case, RunCases
from blade.findings import Cite, fired
from blade.questions import mechanism

ERROR = ["find", "Error: no such id", 1, "Error: no such id", 1, "no_change", ""]


def _run(name: str, cases: list[Case]) -> RunCases:
    for one in cases:
        one.run = name
    run = SimpleNamespace(name=name, graded=pl.DataFrame({"attempt": [one.attempt for one in cases]}))
    return RunCases(cast("Run", run), tuple(cases))


@pytest.fixture(autouse=True)
def _no_phrases(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feature_module, "likely_phrases", lambda _runs, _cases: [])


def _cases(erring: range, failing: range) -> list[Case]:
    return [
        case(task, passed=task not in failing, observed={"errors": [ERROR]} if task in erring else {"turns": 4})
        for task in range(60)
    ]


def test_the_error_that_grew_and_goes_with_failing_carries_the_loss() -> None:
    runs = [_run("old", _cases(range(50, 52), range(40, 52))), _run("new", _cases(range(20, 44), range(20, 52)))]
    answer = mechanism.ask(runs)
    assert answer is not None
    (pair,) = answer["pairs"]
    assert pair["runs"] == ["old", "new"]
    assert pair["features"][0]["kind"] == "error"
    told = words(mechanism.tell(answer))
    assert (
        "On the tasks of both, new passes 28 of 60 judged rollouts and old 48 of 60 (60 tasks): 33.3 points less."
        in told
    )
    assert (
        "Where a tool answers with an error (find: Error: no such id): 24 of 32 failures of new (0 of its 28 passes; "
        "4 of these failures at tasks that old never passes either), and 2 of 12 failures of old (0 of its 48 passes). "
        "It occurs in all 20 tasks that new passes less often "
        "(20, 21, 22" in told
    )
    (head,) = mechanism.brief(answer)
    assert head.text == (
        "What new loses against old goes with rollouts where a tool answers with an error (find: Error: no such id): "
        "24 of its 32 failures, 4 of these failures at tasks that old never passes either, and 0 of its 28 passes; in "
        "old 2 of 12 failures."
    )
    assert pair["features"][0]["without"] is None, "few passes meet an error, whatever the reason"


def _guessing(guesses: range, failing: range) -> list[Case]:
    return [
        case(task, passed=task not in failing, actions=["guess()" if task in guesses else "look()"])
        for task in range(60)
    ]


def test_what_is_left_where_nobody_shows_it_is_told() -> None:
    old, new = _guessing(range(1), range(40, 50)), _guessing(range(20, 40), range(20, 50))
    answer = mechanism.ask([_run("old", old), _run("new", new)])
    assert answer is not None
    (guess,) = answer["pairs"][0]["features"]
    assert guess["without"] == {
        "tasks": 39, "passes": [29, 29], "rollouts": [39, 39], "gone": True, "reversed": False,
    }  # fmt: skip
    (head,) = mechanism.brief(answer)
    assert head.text == (
        "What new loses against old goes with rollouts where the first call is guess: 20 of its 30 failures and 0 of "
        "its 30 passes; in old 0 of 10 failures. On the 39 tasks where no rollout of either does, new passes 29 of 39 "
        "and old 29 of 39: there the difference is gone, though these tasks may be other ones."
    )
    assert "On the 39 tasks" not in words(mechanism.tell(answer)), "the first screen says it"


def test_a_difference_that_stays_where_nobody_shows_it_is_told_beside_it_alone() -> None:
    old, new = _guessing(range(1), range(40, 45)), _guessing(range(20, 40), range(20, 55))
    answer = mechanism.ask([_run("old", old), _run("new", new)])
    assert answer is not None
    told = words(mechanism.tell(answer))
    assert "On the 39 tasks where no rollout of either does, new passes 24 of 39 and old 34 of 39." in told
    (head,) = mechanism.brief(answer)
    assert "no rollout of either" not in head.text


def test_a_difference_is_reversed_where_nobody_shows_it() -> None:
    old, new = _guessing(range(1), range(40, 50)), _guessing(range(20, 40), range(20, 46))
    answer = mechanism.ask([_run("old", old), _run("new", new)])
    assert answer is not None
    (head,) = mechanism.brief(answer)
    assert head.text.endswith("new passes 33 of 39 and old 29 of 39: there the difference is reversed, though these "
                              "tasks may be other ones.")  # fmt: skip


def test_what_fails_only_in_company_of_what_carries_more_is_left_out() -> None:
    def acting(guesses: range, hums: set[int], failing: range) -> list[Case]:
        return [
            case(
                task,
                passed=task not in failing,
                actions=["hum()" if task in hums else "look()", "guess()" if task in guesses else "read()", "end()"],
            )
            for task in range(60)
        ]

    humming = {*range(20, 40), *range(50, 58)}
    old, new = acting(range(1), set(range(3)), range(40, 50)), acting(range(18, 40), humming, range(18, 50))
    answer = mechanism.ask([_run("old", old), _run("new", new)])
    assert answer is not None
    assert not any("hum" in entry["name"] for entry in answer["pairs"][0]["features"])


def test_only_tasks_that_are_lost_count_as_covered() -> None:
    """Ten of the failures with the error are failures of the better run as well: they explain no loss."""
    runs = [_run("old", _cases(range(59, 60), range(10))), _run("new", _cases(range(24), range(40)))]
    answer = mechanism.ask(runs)
    assert answer is not None
    (entry,) = answer["pairs"][0]["features"]
    assert (entry["lost"], entry["tasks"]) == (30, [str(task) for task in range(10, 24)])
    told = words(mechanism.tell(answer))
    assert "It occurs in 14 of the 30 tasks that new passes less often (10, 11, 12" in told
    assert "all of" not in told


def test_the_shape_of_a_failure_explains_no_loss() -> None:
    """That a failure leaves out what the key expects is true by definition."""
    sign = {"missing_action": fired(Cite(0, "", 0, 1, "x"), detail="leaves it out")}
    runs = [_run("old", _cases(range(0), range(10))), _run("new", _cases(range(0), range(40)))]
    for run in runs:
        for one in run.failing:
            one.show(sign if int(one.label) % 5 else {})
    assert mechanism.ask(runs) is None


def test_pairs_of_one_worse_run_with_the_same_features_are_told_once() -> None:
    better = [range(40, 52), range(40, 54)]
    runs = [_run("worst", _cases(range(20, 44), range(20, 52)))]
    runs += [_run(f"better {n}", _cases(range(50, 52), failing)) for n, failing in enumerate(better)]
    answer = mechanism.ask(runs)
    assert answer is not None
    assert len(answer["pairs"]) == 2
    told = words(mechanism.tell(answer))
    assert told.count("Where a tool answers with an error") == 1
    assert (
        "The same holds against better 1, which passes 46 of 60 (30.0 points more) and shows it in 2 of 14 "
        "failures." in told
    )


def test_it_looks_first_where_the_runs_differ_most() -> None:
    runs = [_run("old", _cases(range(50, 52), range(40, 52))), _run("new", _cases(range(20, 44), range(20, 52)))]
    runs[1].known["moved"] = "inside level=hard", frozenset(str(task) for task in range(50)), True
    answer = mechanism.ask(runs)
    assert answer is not None
    told = words(mechanism.tell(answer))
    assert "Inside level=hard, where they differ most, new passes 20 of 50 judged rollouts and old 40 of 50 (50" in told


def _fencing(fenced: range, erring: range, failing: range) -> list[Case]:
    def observed(task: int) -> Json:
        sent = {"sent": {"fenced": [1, 0, 9]}} if task in fenced else {}
        return {"turns": 4} | sent | ({"errors": [ERROR]} if task in erring else {})

    return [case(task, passed=task not in failing, observed=observed(task)) for task in range(60)]


def test_calls_that_do_not_arrive_go_before_what_fails_after_them() -> None:
    old = _fencing(range(58, 59), range(50, 52), range(40, 52))
    new = _fencing(range(18, 36), range(18, 44), range(18, 52))
    answer = mechanism.ask([_run("old", old), _run("new", new)])
    assert answer is not None
    assert answer["pairs"][0]["features"][0]["name"] == "commands are sent inside a fence"


def test_what_all_rollouts_of_a_slice_show_is_held_against_all_tasks() -> None:
    old, new = _fencing(range(0), range(0), range(20, 30)), _fencing(range(24), range(0), range(30))
    runs = [_run("old", old), _run("new", new)]
    runs[1].known["moved"] = "inside level=hard", frozenset(str(task) for task in range(24)), True
    answer = mechanism.ask(runs)
    assert answer is not None
    assert (answer["pairs"][0]["where"], answer["pairs"][0]["features"][0]["name"]) == (
        "inside level=hard",
        "commands are sent inside a fence",
    )


def test_what_passes_show_as_often_or_what_did_not_grow_is_not_told() -> None:
    alike = [_run("old", _cases(range(0), range(40, 52))), _run("new", _cases(range(0, 60, 2), range(20, 52)))]
    assert mechanism.ask(alike) is None
    same = [_run("old", _cases(range(40, 52), range(40, 52))), _run("new", _cases(range(40, 52), range(20, 52)))]
    assert mechanism.ask(same) is None
    assert mechanism.ask(alike[:1]) is None


def _row(task: int, *, erring: bool, passed: bool) -> Json:
    answer = "Error: no such id" if erring else "found it"
    return task_row(task, called("find", {"id": task}, answer), said("Done."), passed=passed, level=str(task // 30))


def test_the_slice_that_moved_reaches_the_question_and_the_matrix_is_written(tmp_path: Path) -> None:
    old = [_row(task, erring=False, passed=True) for task in range(90)]
    new = [_row(task, erring=task >= 64 and task % 4 > 0, passed=task < 60 or task % 4 == 0) for task in range(90)]
    paths = write(tmp_path / "old.jsonl", old), write(tmp_path / "new.jsonl", new)
    analysis = analysed(*paths)
    (pair,) = analysis.investigation["mechanism"]["pairs"]
    assert pair["where"] == "inside level=2"
    table = analysis.features()
    erring = table.filter((pl.col("kind") == "error") & (pl.col("run") == "new"))
    assert erring["task"].n_unique() == 19
    assert set(table.columns) == {"run", "task", "attempt", "passed", "kind", "feature"}
    assert table.filter(pl.col("kind") == "first call")["feature"].unique().to_list() == ["find"]
