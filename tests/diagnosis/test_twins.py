"""Twins: the pair that goes together the furthest, proved quotes, passes that look like luck or share a sign."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.detectors.attempts import call, say, tool
from tests.diagnosis.attempts_on_disk import proved, run, told
from tests.gym_rows import analysed, read, request
from tests.questions.made_cases import words

from blade import api
from blade.diagnosis import twins
from blade.diagnosis.story_words import tell
from blade.errors import NotFound
from blade.simulate import Scenario, cause, write_run

FIND = call("find_order", {"name": "Ann"}, {"id": 1})
OTHER = call("find_order", {"name": "Bob"}, {"id": 2})
PAY, PAY_MORE = (call("pay_order", {"order": 1, "amount": amount}, "paid") for amount in (5, 6))


def test_the_pair_that_shares_most_calls_is_chosen_and_its_quotes_stand(tmp_path: Path) -> None:
    path = run(
        tmp_path,
        told(0, 0, 1.0, OTHER, PAY, say("Done.")),
        told(0, 1, 1.0, FIND, PAY, say("Done.")),
        told(0, 2, 0.0, OTHER, FIND, PAY_MORE, say("Done.")),
        told(0, 3, 0.0, FIND, PAY, call("cancel_order", {"order": 1}, "gone"), say("Done.")),
        told(1, 0, 1.0, say("Fine.")),
        told(2, 0, 0.0, say("No.")),
    )
    (twin,) = analysed(path).twins
    assert (twin["task"], twin["pass"], twin["fail"], twin["alike"]) == ("0", 1, 3, 2)
    assert (twin["kind"], twin["item_fail"], twin["lucky"]) == ("extra", 4, False)
    assert twin["quotes"] == ["Done.", '{"order": 1}']
    assert all(map(proved, twin["evidence"]))
    assert [item["quote"] for item in twin["evidence"]] == twin["quotes"]


def test_tasks_that_say_most_come_first_and_only_so_many_are_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [
        told(task, number, float(number < passes), PAY if number < passes else PAY_MORE)
        for task, passes in enumerate((1, 2, 3))
        for number in range(4)
    ]
    path = run(tmp_path, *rows)
    assert [twin["task"] for twin in analysed(path).twins] == ["1", "0", "2"]
    monkeypatch.setattr(twins, "MOST_TASKS", 1)
    assert [twin["task"] for twin in analysed(path).twins] == ["1"]


def test_a_pass_that_shows_what_explains_the_failures_says_so_and_is_no_luck(tmp_path: Path) -> None:
    bad = call("find_order_by_magic", {"name": "Ann"}, "Error: no such tool")
    asked = {"responses_create_params": request("Pay for Ann.") | {"tools": [tool("pay_order", order="integer")]}}
    rows = [told(0, number, float(number == 0), bad, say("Done.")) | asked for number in range(3)]
    (twin,) = analysed(run(tmp_path, *rows)).twins
    assert (twin["lucky"], twin["same_sign"]) == (False, "unknown_tool")
    analysis = analysed(run(tmp_path, *rows))
    told_words = words(tell(analysis, analysis.stories))
    assert "It shows the same sign (unknown_tool), so that this alone decides nothing here." in told_words
    assert "What the record shows: " in told_words
    assert "It goes wrong here" not in told_words


def test_a_pass_that_does_nothing_where_the_failures_act_is_luck(tmp_path: Path) -> None:
    rows = [told(0, 0, 1.0, say("I need your number first.")), told(0, 1, 0.0, PAY, say("Done."))]
    (twin,) = analysed(run(tmp_path, *rows)).twins
    assert "no call at all" in twin["lucky_because"]


def test_an_ending_that_passes_often_have_is_no_luck(tmp_path: Path) -> None:
    rows = [told(0, 0, 1.0, FIND, PAY), told(0, 1, 0.0, FIND, PAY_MORE, say("Done."))]
    (twin,) = analysed(run(tmp_path, *rows)).twins
    assert not twin["lucky"]
    more = [told(task, 0, 1.0, FIND, say("Done.")) for task in range(1, 12)]
    (odd,) = analysed(run(tmp_path / "odd", *rows, *more)).twins
    assert "ends on a tool's output" in odd["lucky_because"]


def test_rows_in_a_changed_file_make_no_twin_and_no_error(tmp_path: Path) -> None:
    path = run(tmp_path, told(0, 0, 1.0, PAY), told(0, 1, 0.0, PAY_MORE))
    runs = read(path)
    path.write_bytes(b"nothing here any more\n")
    assert api.analyze_runs(runs).twins == ()
    path.unlink()
    assert api.analyze_runs(runs).twins == ()


def test_one_task_is_paired_on_demand_also_from_a_given_attempt(tmp_path: Path) -> None:
    rows = [told(0, number, float(number < 2), FIND, PAY if number < 2 else PAY_MORE) for number in range(4)]
    runs = read(run(tmp_path, *rows, told(1, 0, 1.0, PAY), told(2, 0, 0.0, PAY)))
    twin = api.find_twin(runs, "0", attempt=3)
    assert (twin.good.case.attempt, twin.bad.case.attempt, twin.passes, twin.attempts) == (0, 3, 2, 4)
    for task, outcome in (("1", "passes"), ("2", "fails")):
        with pytest.raises(NotFound, match=f"Every attempt of task '{task}' in .* {outcome}"):
            api.find_twin(runs, task)


def test_what_rules_notice_is_held_against_the_outcome_inside_tasks(tmp_path: Path) -> None:
    path = write_run(
        Scenario(tasks=30, repeats=4, seed=7, skill=5, causes=(cause("head_filter", share=0.5),)), tmp_path
    )
    (found,) = analysed(path).contrasts
    by_name = {item["feature"]: item for item in found["features"]}
    assert by_name["rule manual_filter"]["named"]
    assert by_name["rule manual_filter"]["when"] == "during"
    assert by_name["rule manual_filter"]["effect"] < -0.5
    assert not any(name in by_name for name in ("rule wrong_answer", "rule parse_failed")), "n/a says nothing"
