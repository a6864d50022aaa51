"""Errors of tools: told where they separate, with what was read before and what followed; silent elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.gym_rows import Json, analysed, write
from tests.questions.made_cases import called, case, run_of, said, task_row, user, words

from blade.model import Analysis
from blade.questions import tool_errors

REFUSED = "Error: parcel is not packed"


def _parcel(task: int, status: str) -> list[Json]:
    return called(
        "get_parcel", {"parcel_id": f"P{task}777"}, {"parcel_id": f"P{task}777", "status": status, "weight": 3}
    )


def _ship(task: int, answer: str | Json) -> list[Json]:
    return called("send_parcel", {"parcel_id": f"P{task}777"}, answer)


@pytest.fixture(scope="module")
def analysis(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    """Tasks 0 to 9 ship what is open and are refused; 10 to 29 ship what is packed, and 15 of them pass."""
    refused = [
        task_row(task, _parcel(task, "open"), _ship(task, REFUSED), *after, said("Sorry."), passed=False)
        for task, after in (
            *((task, ()) for task in range(6)),
            *((task, (called("pack_parcel", {"parcel_id": f"P{task}777"}, {"ok": True}),)) for task in (6, 7)),
            (8, (called("add_note", {"note": "late"}, {"ok": True}),)),
            (9, (called("transfer_to_human_agents", {}, "done"),)),
        )
    ]
    shipped = [
        task_row(task, _parcel(task, "packed"), _ship(task, {"ok": True}), said("Shipped."), passed=task >= 15)
        for task in range(10, 30)
    ]
    return analysed(write(tmp_path_factory.mktemp("errors") / "one.jsonl", refused + shipped))


def test_an_error_that_goes_with_failing_is_told_with_its_counts(analysis: Analysis) -> None:
    (error,) = analysis.investigation["tool_errors"]["errors"]
    assert (error["tool"], error["quote"]) == ("send_parcel", REFUSED)
    assert (error["rollouts"], error["failures"], error["without"], error["without_failures"]) == (10, 10, 20, 5)
    assert error["separates"] < 0.01
    told = words(tool_errors.tell(analysis.investigation["tool_errors"]))
    assert f"send_parcel answers “{REFUSED}” in 10 rollouts: 10 of them fail, 5 of 20 without it" in told
    assert "It goes with failing (p = " in told


def test_the_state_that_was_read_before_the_call_is_told(analysis: Analysis) -> None:
    state = analysis.investigation["tool_errors"]["errors"][0]["state"]
    assert (state["field"], state["value"], state["rollouts"]) == ("status", "open", 10)
    assert (state["accepted"], state["usual"], state["usual_calls"]) == (20, "packed", 20)
    told = words(tool_errors.tell(analysis.investigation["tool_errors"]))
    assert "the model had read status “open” of the same object before the call" in told
    assert "none of the 20 accepted calls of send_parcel with a known status had that (20 had “packed”)" in told


def test_what_followed_the_error_is_told_with_task_ids(analysis: Analysis) -> None:
    told = words(tool_errors.tell(analysis.investigation["tool_errors"]))
    assert (
        "afterwards it switches to pack_parcel in 6 and 7, changes something else in 8, hands over to a person in "
        "9 and gives up in 0, 1, 2, 3, 4 and 5 (no further change)." in told
    )


def test_a_change_that_had_come_first_is_told_as_the_order_of_operations(tmp_path: Path) -> None:
    def rows(task: int) -> Json:
        number = f"P{task}777"
        label = called("set_label", {"parcel_id": number}, {"ok": True})
        if task < 6:
            locked = called("change_address", {"parcel_id": number, "to": "x"}, "Error: parcel is locked")
            return task_row(task, label, locked, said("Sorry."), passed=False)
        changed = called("change_address", {"parcel_id": number, "to": "x"}, {"ok": True})
        again = called("change_address", {"parcel_id": number, "to": "y"}, {"ok": True})
        return task_row(task, changed, again, label, said("Done."), passed=True)

    answer = analysed(write(tmp_path / "one.jsonl", map(rows, range(12)))).investigation["tool_errors"]
    order = answer["errors"][0]["after_change"]
    assert (order["tool"], order["other_order_accepted"], order["other_order_refused"]) == ("set_label", 6, 0)
    heads = [head.text for head in tool_errors.brief(answer)]
    assert all("of them set_label had changed the same object first." in head for head in heads)
    assert heads
    told = words(tool_errors.tell(answer))
    assert "Order of operations: in 6 rollouts set_label had changed the same object first" in told
    assert "(one: 0, 1, 2, 3, 4 and 5); none of the 12 accepted calls of change_address came after it." in told


def test_a_label_before_a_tools_answer_does_not_hide_its_error(tmp_path: Path) -> None:
    rows = [
        task_row(
            task,
            _ship(task, f"API output: {REFUSED}" if task < 8 else 'API output: {"ok": true}'),
            said("So."),
            passed=task >= 8,
        )
        for task in range(16)
    ]
    (error,) = analysed(write(tmp_path / "one.jsonl", rows)).investigation["tool_errors"]["errors"]
    assert (error["rollouts"], error["failures"]) == (8, 8)


def test_a_tool_that_fails_for_everybody_is_the_tools_fault(tmp_path: Path) -> None:
    rows = [
        task_row(task, called("search_web", {"q": str(task)}, "Error: no upstream"), said("So."), passed=task % 2 == 0)
        for task in range(12)
    ]
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["tool_errors"]
    assert answer["errors"] == []
    told = words(tool_errors.tell(answer))
    assert told.startswith(
        "search_web fails in 12 of 12 calls, whichever run makes them (6 of the rollouts that call it pass"
    )
    assert "a fault of the tool or its environment, not of a model" in told


def test_a_tool_that_does_not_exist_is_no_fault_of_the_tool(tmp_path: Path) -> None:
    offered = {"input": "Find it.", "tools": [{"type": "function", "name": "look_up", "parameters": {}}]}
    call = called("search_web", {"q": "x"}, "Error: no such tool")
    rows = [
        task_row(task, call, said("So."), passed=task % 2 == 0, responses_create_params=offered) for task in range(12)
    ]
    assert "tool_errors" not in analysed(write(tmp_path / "one.jsonl", rows)).investigation


def test_a_run_with_more_of_an_error_than_another_is_named() -> None:
    def cases(with_it: int) -> list[object]:
        error = {"errors": [["find", "Error: none", 1, "Error: none", 1, "no_change", ""]]}
        return [
            case(task, passed=task % 2 == 0, observed=error if task < with_it else None, actions=["find(q)"] * 2)
            for task in range(30)
        ]

    answer = tool_errors.ask([run_of("old", cases(1)), run_of("new", cases(15))])  # type: ignore[arg-type]
    assert answer is not None
    assert answer["errors"][0]["more_often"] == ["new"]
    assert "It is more common in new than elsewhere." in words(tool_errors.tell(answer))


def test_an_error_with_other_values_each_time_is_not_told_as_one_message(tmp_path: Path) -> None:
    rows = [task_row(task, _ship(task, f"Error: parcel {task}777 is not packed"), passed=False) for task in range(10)]
    rows += [task_row(task, _ship(task, {"ok": True}), passed=True) for task in range(10, 30)]
    made = analysed(write(tmp_path / "one.jsonl", rows))
    (error,) = made.investigation["tool_errors"]["errors"]
    assert error["values_differ"] is True
    told = words(tool_errors.tell(made.investigation["tool_errors"]))
    assert "“Error: parcel … is not packed” (such as “Error: parcel 0777 is not packed”) in 10 rollouts" in told


def test_passes_that_end_on_an_error_are_told_as_that() -> None:
    def error(task: int, *, passed: bool) -> Json:
        entry = ["build", "Error: no parse", 1, "Error: no parse", 1, "no_change", ""]
        return {"errors": [entry] if passed and task < 12 else []}

    cases = [
        case(task, passed=task < 20, observed=error(task, passed=task < 20), actions=["build(x)"]) for task in range(40)
    ]
    answer = tool_errors.ask([run_of("run", cases)])
    assert answer is not None
    told = words(tool_errors.tell(answer))
    assert "It goes with passing" in told
    assert "afterwards it passes with nothing more done in 0, 1, 2" in told
    assert "gets nothing more done" not in told


def test_of_a_tool_for_everything_a_later_call_that_goes_well_is_no_recovery() -> None:
    def error(task: int) -> Json:
        return {"errors": [["shell", "Error: no module", 1, "Error: no module", 1, "worked_again", "shell"]]}

    cases = [
        case(task, passed=task >= 12, observed=error(task) if task < 10 else {}, actions=["shell(command)"])
        for task in range(40)
    ]
    answer = tool_errors.ask([run_of("run", cases)])
    assert answer is not None
    told = words(tool_errors.tell(answer))
    assert "afterwards it makes a call of the same tool that goes well in 0, 1, 2" in told
    assert "recovers" not in told


def test_who_goes_on_in_vain_or_is_cut_does_not_give_up(tmp_path: Path) -> None:
    """Tasks 0 to 2 end on the refusal, 3 tries another change that fails too, 4 to 7 are cut by a limit of turns."""

    def rows(task: int) -> Json:
        note = called("add_note", {"note": "late"}, "Error: no notes today")
        talk = [part for n in range(9) for part in (said(f"A moment, {n}."), user("Well?"))] if 4 <= task < 8 else []
        if task < 8:
            after = (_ship(task, REFUSED), *((note,) if task == 3 else ()), said("Sorry."))
            return task_row(task, _parcel(task, "open"), *talk, *after, passed=False)
        return task_row(task, *(said(f"{n}") for n in range(task % 5)), _ship(task, {"ok": True}), passed=True)

    made = analysed(write(tmp_path / "one.jsonl", [rows(task) for task in range(30)]))
    answer = made.investigation["tool_errors"]
    followed = answer["errors"][0]["runs"][0]["followed"]
    assert followed["no_change"] == ["0", "1", "2"]
    assert followed["tried_on"] == {"add_note": ["3"]}
    assert followed["cut"] == ["4", "5", "6", "7"]
    told = words(tool_errors.tell(answer))
    assert (
        "tries add_note without success in 3, is cut by the turn limit before anything more is done in 4, 5, 6 and "
        "7 and gives up in 0, 1 and 2 (no further change)" in told
    )
