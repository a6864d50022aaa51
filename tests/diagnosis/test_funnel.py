"""How far attempts come, and where they are lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.counting.audit.test_attempts import VOCABULARIES, half_void
from tests.detectors.attempts import attempt, call, say, tool
from tests.gym_rows import analysed, row, write
from tests.questions.made_cases import words

from blade.diagnosis.funnel import largest_drop
from blade.document import Section
from blade.extract.stages import stages
from blade.sections import workflow_funnel
from blade.short_report.pieces import pieces_of


def test_stages_are_told_from_the_steps() -> None:
    whole = attempt(call("search_seats", {}, "3"), call("book_seat", {}, "ok"), call("get_seat", {}, "3"), say("Done."))
    assert stages(whole) == ["first action", "core action", "received feedback", "checked itself", "submitted"]
    assert stages(attempt(say("42"))) == ["first action", "submitted"]
    assert stages(attempt(call("book_seat", {}, "Error: full"))) == ["first action", "received feedback"]
    assert stages(attempt(call("search_seats", {}, "3"), call("submit", {}, "ok")))[-1] == "submitted"
    passed_on = call("transfer_to_human_agents", {"summary": "a refund"}, "Transfer successful")
    assert stages(attempt(call("search_seats", {}, "3"), passed_on))[-1] != "submitted"
    assert stages(attempt()) == []


def test_a_tool_that_only_computes_is_no_core_action() -> None:
    sums = attempt(
        call("add", {"a": 6, "b": 10.5}, {"solution": 16.5}), call("multiply", {"by": [2, 3]}, "6"), say("6")
    )
    assert stages(sums) == ["first action", "received feedback", "submitted"]
    written = attempt(call("add", {"item_id": 6, "many": 2}, "2"), say("Done."))
    assert "core action" in stages(written)
    assert "core action" in stages(attempt(call("add", {"a": 1, "b": 2}, {"saved": "yes"}), say("Done.")))


def agent(number: int, *, books: bool, ends: bool = True) -> dict[str, Any]:
    items = [call("search_seats", {"n": number}, "3 seats")]
    items += [call("book_seat", {"n": number}, "ok")] if books else []
    items += [[say("Done.")]] if ends else []
    output = [item for group in items for item in group]
    request = {"input": [{"role": "user", "content": f"Book seat {number}."}], "tools": [tool("book_seat")]}
    response = {"output": output, "model": "m"}
    return row(number, reward=float(books and ends), response=response, responses_create_params=request)


def test_a_first_look_up_is_a_stage_where_many_never_get_an_answer(tmp_path: Path) -> None:
    """Ten of thirty never find their guest; an empty answer tells nothing."""

    def guest(number: int, lost: int) -> dict[str, Any]:
        found = number >= lost
        answer = f"guest {number}" if found else "" if number % 2 else "Error: guest not found"
        items = [*call("find_guest", {"name": f"n{number}"}, answer), say("Done.")]
        return row(number, reward=float(found and number % 3 > 0), response={"output": items, "model": "m"})

    for lost, expected in ((10, 20), (2, None)):
        found = analysed(write(tmp_path / f"{lost}.jsonl", [guest(number, lost) for number in range(30)]))
        stages_reached = {stage["stage"]: stage["runs"][f"{lost}"]["survived"] for stage in found.funnel}
        assert stages_reached.get("first look-up answered") == expected
        assert stages_reached["first action"] == 30


def test_a_first_look_up_that_another_agent_calls_otherwise_is_no_stage(tmp_path: Path) -> None:
    """Six rollouts of the second agent read under another name: nothing tells that they got no answer."""

    def guest(number: int, tool_name: str) -> dict[str, Any]:
        items = [*call(tool_name, {"name": f"n{number}"}, f"guest {number}"), say("Done.")]
        return row(number, reward=float(number % 3 > 0), response={"output": items, "model": "m"})

    first = write(tmp_path / "first.jsonl", [guest(number, "find_guest") for number in range(30)])
    other = write(tmp_path / "other.jsonl", [guest(number, "FindGuest") for number in range(6)])
    assert "first look-up answered" not in {stage["stage"] for stage in analysed(first, other).funnel}


def test_the_largest_loss_on_the_way_is_found(tmp_path: Path) -> None:
    rows = [agent(n, books=n > 5, ends=n != 6) for n in range(12)]
    found = analysed(write(tmp_path / "a.jsonl", rows))
    reached = {stage["stage"]: stage["runs"]["a"]["survived"] for stage in found.funnel if stage["necessary"]}
    assert reached == {
        "started": 12,
        "first action": 12,
        "core action": 6,
        "received feedback": 6,
        "submitted": 5,
        "verified": 5,
        "passed": 5,
    }
    assert largest_drop(found.funnel, "a") == ("first action", "core action", 6)
    lost = {stage["stage"]: stage["runs"]["a"]["lost"] for stage in found.funnel}
    assert lost["core action"] == {"tasks": ["0", "1", "2", "3", "4", "5"], "tasks_total": 6}
    assert lost["submitted"] == {"tasks": ["6"], "tasks_total": 1}
    assert lost["started"] == lost["verified"] == {"tasks": [], "tasks_total": 0}
    text = " ".join(sentence.text for sentence in workflow_funnel.build(found)[0].sentences)  # type: ignore[union-attr]
    assert "Most are lost between first action and core action (6 of 12 rollouts)." in text


def test_the_largest_loss_may_be_the_verdict_itself(tmp_path: Path) -> None:
    """Ten of forty end without a word, eighteen of the others fail: the loss that is told first is the larger one."""
    rows = [agent(n, books=True, ends=n >= 10) | {"reward": float(n >= 28)} for n in range(40)]
    found = analysed(write(tmp_path / "a.jsonl", rows))
    assert largest_drop(found.funnel, "a") == ("verified", "passed", 18)
    assert largest_drop(found.funnel, "a", before_verdict=True) == ("received feedback", "submitted", 10)
    text = " ".join(sentence.text for sentence in workflow_funnel.build(found)[0].sentences)  # type: ignore[union-attr]
    assert (
        "Most are lost between verified and passed (18 of 40 rollouts), before that between received feedback " in text
    )
    assert "and submitted (10 of 40 rollouts)." in text


def test_the_largest_loss_may_come_before_the_agent_starts(tmp_path: Path) -> None:
    rows = half_void(VOCABULARIES["shell"])
    text = words(workflow_funnel.build(analysed(f"run={write(tmp_path / 'a.jsonl', rows)}")))
    assert "Of the 12 rollouts of run whose agent started (of 24), " in text
    assert "Most are lost before the agent starts (12 of 24 rollouts), of those that start between " in text


def test_rows_that_never_started_did_nothing(tmp_path: Path) -> None:
    """The message that the shell leaves in such a row is no first action and hands in nothing."""
    rows = half_void(VOCABULARIES["shell"])
    reached = {
        stage["stage"]: stage["runs"]["a"]["reached"] for stage in analysed(write(tmp_path / "a.jsonl", rows)).funnel
    }
    assert reached["started"] == reached["first action"] == 12
    assert reached["submitted"] <= 12


def test_where_passes_hand_in_by_a_command_a_last_message_hands_in_nothing(tmp_path: Path) -> None:
    rows = []
    for n in range(8):
        end = call("submit", {"n": n}, "ok") if n < 5 else [say("Next I look at the other seats.")]
        response = {"output": [*call("search_seats", {"n": n}, "3 seats"), *end], "model": "m"}
        rows.append(row(n, reward=float(n < 4), response=response, expected_answer=None, extracted_answer=None))
    reached = {
        stage["stage"]: stage["runs"]["a"]["reached"] for stage in analysed(write(tmp_path / "a.jsonl", rows)).funnel
    }
    assert reached["submitted"] == 5


def test_rows_that_do_not_record_what_the_model_did_show_no_deeds(tmp_path: Path) -> None:
    """Two of forty rows hold one message that is no turn of a model; the other run shows everything."""
    silent = [row(n, reward=float(n % 2), response={"output": []}) for n in range(40)]
    silent[:2] = [row(n, reward=float(n % 2), response={"output": [say("$")]}) for n in range(2)]
    acting = [agent(n, books=n > 5) for n in range(12)]
    found = analysed(write(tmp_path / "pane.jsonl", silent), write(tmp_path / "told.jsonl", acting))
    text = words(workflow_funnel.build(found))
    assert "(first action) | not recorded |  | 12 (100.0%) | " in text
    assert "submitted or do not record them, so skipping is counted but is no loss." in text


@pytest.mark.parametrize(("empty", "verified"), [(range(2, 5), 17), (range(2, 20), 20)])
def test_a_row_whose_record_of_the_verifier_is_empty_is_not_verified(
    empty: range, verified: int, tmp_path: Path
) -> None:
    """Where failures mostly have none, it is what a pass has and tells nothing."""
    record = {"score": 1, "reached": "end"}
    rows = [agent(n, books=n > 11) | {"verifier": {"kind": "k", "details": record}} for n in range(20)]
    for n in (n for n in empty if n <= 11):
        rows[n]["verifier"] = {"kind": "k", "details": {}}
    found = analysed(write(tmp_path / "a.jsonl", rows))
    assert {stage["stage"]: stage["runs"]["a"]["reached"] for stage in found.funnel}["verified"] == verified


def test_one_pass_does_not_tell_what_every_verified_row_has(tmp_path: Path) -> None:
    """Each task has checks of its own: those of the only pass are no record that the failures lack."""
    checks = ({"checks": {"bell": "rung"}}, {"checks": {"bell": "still"}}, {"rubric": {"tower": "cold"}})
    rows = [agent(n, books=n == 0) | {"verifier": one} for n, one in enumerate(checks)]
    found = analysed(write(tmp_path / "a.jsonl", rows))
    assert {stage["stage"]: stage["runs"]["a"]["reached"] for stage in found.funnel}["verified"] == 3


def test_a_row_that_says_that_its_verification_is_null_is_not_verified(tmp_path: Path) -> None:
    rows = [agent(n, books=n > 9) | {"verification_result": {"status": "done"}} for n in range(12)]
    for n in range(9):
        rows[n]["verification_result"] = None
    found = analysed(write(tmp_path / "a.jsonl", rows))
    reached = {stage["stage"]: stage["runs"]["a"]["reached"] for stage in found.funnel}
    assert (reached["verified"], reached["passed"]) == (3, 2)
    for n in range(9):
        rows[n] = rows[n] | {"verification_result": {"status": "done"}, "verifier_error": None}
    rows[11]["verifier_error"] = None
    found = analysed(write(tmp_path / "b.jsonl", rows))
    reached = {stage["stage"]: stage["runs"]["b"]["reached"] for stage in found.funnel}
    assert reached["verified"] == 12, "what is null in a pass tells nothing"


def test_a_record_that_is_null_in_every_failure_tells_that_they_failed(tmp_path: Path) -> None:
    """A judge that stops at the first fault writes its last record of passes alone: all rows were judged."""
    rows = [agent(n, books=n > 7) | {"judge_result": {"overall": "fine"} if n > 7 else None} for n in range(12)]
    found = analysed(write(tmp_path / "a.jsonl", rows))
    assert {stage["stage"]: stage["runs"]["a"]["reached"] for stage in found.funnel}["verified"] == 12


def test_a_reply_that_never_ends_its_thinking_is_not_submitted(tmp_path: Path) -> None:
    rows = [row(n, reward=float(n < 8)) for n in range(12)]
    for n in range(8, 12):
        rows[n]["response"]["output"] = [say(f"<think>Let me count the {n} jars again and again")]
    rows[0]["response"]["output"] = [say("<think>Twice.</think>It is 0.")]
    found = analysed(write(tmp_path / "a.jsonl", rows))
    assert {stage["stage"]: stage["runs"]["a"]["reached"] for stage in found.funnel}["submitted"] == 8


def test_a_stage_that_passes_do_without_is_no_loss(tmp_path: Path) -> None:
    rows = [agent(n, books=True) for n in range(6)]
    rows[0]["response"]["output"].insert(4, call("get_seat", {}, "3")[0])
    found = analysed(write(tmp_path / "a.jsonl", rows))
    (checked,) = [stage for stage in found.funnel if stage["stage"] == "checked itself"]
    assert not checked["necessary"]


def test_a_benchmark_may_declare_its_own_stages(tmp_path: Path) -> None:
    (tmp_path / "benchmark.toml").write_text(
        '[[stages]]\nname = "compiled"\nfield = "compiled"\n[[stages]]\nname = "ran"\ntool = "run_it"\n'
    )
    rows = [row(n, reward=float(n > 1), compiled=n > 0) for n in range(6)]
    found = analysed(write(tmp_path / "a.jsonl", rows))
    assert [(stage["stage"], stage["runs"]["a"]["reached"]) for stage in found.funnel] == [
        ("started", 6),
        ("compiled", 5),
        ("passed", 4),
    ]


def test_runs_without_a_pass_have_no_funnel(tmp_path: Path) -> None:
    assert analysed(write(tmp_path / "a.jsonl", [row(n, reward=n / 7) for n in range(5)])).funnel == ()


def test_what_each_run_loses_stays_with_its_name_when_the_report_is_shortened(tmp_path: Path) -> None:
    paths = [
        write(tmp_path / f"{name}.jsonl", [agent(number, books=number < books) for number in range(12)])
        for name, books in (("one", 6), ("two", 3))
    ]
    section = Section("workflow_funnel", "Funnel", tuple(workflow_funnel.build(analysed(*paths))))
    (lost,) = [piece.text for piece in pieces_of(section, ["one", "two"]) if " loses most " in piece.text]
    first, second = lost.split("; ")
    assert first == "one loses most between first action and core action (6 of 12 rollouts)"
    assert second == "two loses most between first action and core action (9 of 12 rollouts)."
