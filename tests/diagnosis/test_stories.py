"""Stories: exact quotes, the mode and where it shows, a pass beside it, and which tasks are told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.detectors.attempts import call, say, tool, user
from tests.diagnosis.attempts_on_disk import proved, run, told
from tests.diagnosis.made import attempt
from tests.gym_rows import Json, analysed, read, request

from blade import api
from blade.diagnosis.cases import all_cases
from blade.diagnosis.modes import find_modes
from blade.diagnosis.remedies import REGRADING
from blade.diagnosis.stories import StoryInputs, _choice, tell_stories
from blade.document import Heading, Quote
from blade.findings import Intervention, Label
from blade.model import Bucket
from blade.short_report import shortened

OFFERED = {"tools": [tool("pay_order", order="integer"), tool("find_order", name="string")]}
MAGIC = call("find_order_by_magic", {"name": "Ann"}, "Error: no such tool")
FIND = call("find_order", {"name": "Ann"}, {"id": 1})
PAY = call("pay_order", {"order": 1}, "paid")


def offered(*rows: Json) -> list[Json]:
    """Rows that offer tools, so that a call of another one is noticed."""
    return [made | {"responses_create_params": {**made["responses_create_params"], **OFFERED}} for made in rows]


def failing(task: int, attempt: int, **fields: Any) -> Json:
    return told(task, attempt, 0.0, MAGIC, say("I could not find it."), **fields)


def passing(task: int, attempt: int) -> Json:
    return told(task, attempt, 1.0, FIND, PAY, say("Paid."))


def test_a_sometimes_pass_story_tells_what_was_asked_done_wrong_and_done_instead(tmp_path: Path) -> None:
    path = run(tmp_path, *offered(failing(0, 0), passing(0, 1), failing(0, 2)))
    (story,) = analysed(path).stories
    assert (story["bucket"], story["passes"], story["attempts"]) == ("sometimes", 1, 3)
    assert story["asked"] == "Please do task 0 as it stands in the book."
    assert (story["did"], story["calls"], story["ends_on"]) == ("find_order_by_magic", 1, "a message")
    assert (story["mode"], story["agree"], story["failed"]) == ("unknown_tool", 2, 2)
    assert "find_order_by_magic" in story["wrong"]["statement"]
    assert (story["instead"]["attempt"], story["instead"]["quote"]) == (1, '{"order": 1}')
    assert {proof["role"] for proof in story["evidence"]} >= {"asked", "wrong", "fail", "instead"}
    assert all(map(proved, story["evidence"]))
    fix = "Answer the call of a tool that is not offered with the list of tools, and have the agent go on after it."
    assert (story["label"], story["fix"]) == (["BI"], fix)


def test_a_never_pass_story_takes_the_pass_from_another_run(tmp_path: Path) -> None:
    weak = run(tmp_path / "weak", *offered(failing(0, 0), failing(0, 1), passing(1, 0)))
    strong = run(tmp_path / "strong", *offered(passing(0, 0), passing(1, 0)))
    story = next(one for one in analysed(weak, strong).stories if one["bucket"] == "never")
    assert (story["run"], story["passes"], story["instead"]["run"]) == ("weak", 0, "strong")
    assert all(map(proved, story["evidence"]))
    (alone,) = (one for one in analysed(weak).stories if one["bucket"] == "never")
    assert alone["instead"] is None


def test_where_nothing_explains_the_failures_the_report_says_so(tmp_path: Path) -> None:
    rows = [told(0, 0, 0.0, say("Five, I would say.")), told(0, 1, 0.0, say("Six."))]
    analysis = analysed(run(tmp_path, *rows))
    (story,) = analysis.stories
    assert (story["wrong"], story["mode"]) == (None, "unexplained")
    text = api.render(api.report(analysis))
    assert "### 0: no rule explains it" in text
    assert "No rule explains its failures." in text
    assert "ends on a message" in text


def test_where_nothing_explains_a_failure_the_error_of_its_judging_is_quoted(tmp_path: Path) -> None:
    log = 'a path/cake.py", line 9, in test_cake\n    assert tall(cake)\nAssertionError: the cake is flat'
    row = told(0, 0, 0.0, say("I baked it.")) | {"verifier": {"remark": log}}
    analysis = analysed(run(tmp_path, row, told(1, 0, 1.0, say("Done."))))
    (story,) = analysis.stories
    assert (story["wrong"], story["raised"]) == (None, "AssertionError: the cake is flat")
    assert all(map(proved, story["evidence"]))
    text = api.render(api.report(analysis))
    assert "No rule explains its failures. Its judging raised an error:\n\n> AssertionError: the cake is flat\n" in text
    assert "attempt 0, row.verifier.remark" in text


def test_each_mode_is_told_once_before_any_twice_and_six_at_most(tmp_path: Path) -> None:
    rows = [failing(task, number) for task in range(8) for number in range(2)]
    rows += [told(task, number, 0.0, FIND) for task in (8, 9) for number in range(2)]
    rows += [told(10, number, 0.0, say("Five.")) for number in range(2)]
    stories = analysed(run(tmp_path, *offered(*rows, passing(11, 0)))).stories
    modes = [story["mode"] for story in stories]
    assert len(stories) == 6
    assert len(set(modes[:2])) == 2
    assert "unexplained" not in modes
    assert [story["task"] for story in stories] == [story["task"] for story in analysed(tmp_path).stories]


def test_a_played_user_is_asked_for_by_the_longer_account_of_the_row(tmp_path: Path) -> None:
    wants = "You are Ann. You want order 1 paid with the blue card, and you will not give a number unless asked."
    row = told(0, 0, 0.0, say("Which order?"), user("The first."), say("No."), asked="Hi!")
    (story,) = analysed(run(tmp_path, row | {"metadata": {"user_instruction": wants}}, passing(1, 0))).stories
    assert story["asked"] == wants
    assert all(map(proved, story["evidence"]))


def test_a_task_told_in_a_field_of_the_row_is_quoted_from_there(tmp_path: Path) -> None:
    row = told(0, 0, 0.0, say("No.")) | {"responses_create_params": {"input": []}, "question": "What is six?"}
    (story,) = analysed(run(tmp_path, row, passing(1, 0))).stories
    assert story["asked"] == "What is six?"
    assert [proof["field"] for proof in story["evidence"] if proof["role"] == "asked"] == ["row.question"]


def test_labels_and_fixes_come_into_the_story(tmp_path: Path) -> None:
    cases = all_cases(read(run(tmp_path, *offered(failing(0, 0), passing(1, 0)))), [])
    modes = {mode.id: mode for mode in find_modes(cases)}
    name = cases[0].run.name
    labels = [Label(name, "0", ("BI",), None, calibrated=False, because=(), missing="")]
    fix = Intervention("prompt", "List the tools.", None, None, False, (), (), "", "", mode="unknown_tool")
    (story,) = tell_stories(cases, (), StoryInputs(modes, labels, [fix]))
    assert (story["label"], story["fix"]) == (["BI"], "List the tools.")


def test_advice_for_single_tasks_of_another_run_is_none_for_this_one(tmp_path: Path) -> None:
    cases = all_cases(read(run(tmp_path, *offered(failing(0, 0), passing(1, 0)))), [])
    modes = {mode.id: mode for mode in find_modes(cases)}
    change = REGRADING.change
    advice = Intervention(
        "verifier", f"{change}: 1 task.", None, None, False, ("7",), (), "", "", "other", "unknown_tool", change=change
    )
    (story,) = tell_stories(cases, (), StoryInputs(modes, [], [advice]))
    assert story["fix"] is None
    (story,) = tell_stories(cases, (), StoryInputs(modes, [], [replace(advice, tasks=("0",))]))
    assert story["fix"] == f"{change}."


def test_the_short_report_describes_a_way_of_failing_twice_at_most(tmp_path: Path) -> None:
    path = run(tmp_path, *offered(*(failing(task, 0) for task in range(5)), passing(5, 0)))
    whole = api.report(analysed(path))
    headings = [
        [block.text for section in report.sections for block in section.blocks if isinstance(block, Heading)]
        for report in (whole, shortened(whole, ["run"]))
    ]
    tasks = [[heading for heading in each if heading[:1].isdigit()] for each in headings]
    assert list(map(len, tasks)) == [5, 2]


@pytest.mark.parametrize("section", ["sometimes_pass_deep_dives", "never_pass_deep_dives"])
def test_every_quote_of_a_story_is_a_claim_with_a_proof(section: str, tmp_path: Path) -> None:
    path = run(tmp_path, *offered(failing(0, 0), passing(0, 1), failing(1, 0)))
    report = api.report(analysed(path))
    (made,) = (one for one in report.sections if one.name == section)
    quotes = [block.text for block in made.blocks if isinstance(block, Quote)]
    claims = [claim.value for claim in report.claims() if claim.section == section and claim.kind == "quote"]
    assert quotes == claims
    assert len(quotes) >= 2


def test_attempts_without_a_transcript_are_told_without_a_pass_beside_them(tmp_path: Path) -> None:
    analysis = analysed(run(tmp_path, told(0, 0, 0.0), told(0, 1, 1.0), told(1, 0, 1.0, say("Fine."))))
    (story,) = analysis.stories
    assert (story["ends_on"], story["instead"], analysis.twins) == ("", None, ())
    assert "Attempt 0 left no transcript." in api.render(api.report(analysis))


def test_a_failure_with_a_transcript_is_told_before_those_without(tmp_path: Path) -> None:
    checks = {"verifier": {"tests": {"adds": "passed", "takes away": "failed"}}}
    silent = [told(task, 0, 0.0, **checks) for task in range(8)]
    shown = told(8, 0, 0.0, FIND, say("It is done."), **checks)
    stories = analysed(run(tmp_path, *silent, shown, passing(9, 0))).stories
    assert [story["task"] for story in stories if story["bucket"] == "never"][:2] == ["8", "0"]


def test_a_run_that_passes_everything_has_no_story(tmp_path: Path) -> None:
    analysis = analysed(run(tmp_path, *(passing(task, 0) for task in range(4))))
    assert (analysis.stories, analysis.twins) == ((), ())
    names = [section.name for section in api.report(analysis).sections]
    assert "never_pass_deep_dives" not in names


def test_attempts_that_infrastructure_broke_are_told_by_nobody(tmp_path: Path) -> None:
    broken = told(0, 0, 0.0) | {"error_kind": "http_error", "error_message": "503 Service Unavailable"}
    analysis = analysed(run(tmp_path, broken, passing(1, 0)))
    assert analysis.runs[0].statuses["infrastructure"] == 1
    assert analysis.stories == ()


def test_the_request_is_not_mistaken_for_the_system_prompt(tmp_path: Path) -> None:
    row = failing(0, 0)
    system = {"role": "system", "content": "You are a clerk.", "type": "message"}
    asked = request("Pay for Ann.")
    row["responses_create_params"] = asked | {"input": [*asked["input"], system]}
    (story,) = analysed(run(tmp_path, row, passing(1, 0))).stories
    assert story["asked"] == "Pay for Ann."


def test_an_attempt_that_shows_nothing_of_the_model_does_not_go_wrong_like_one_that_worked() -> None:
    worked, silent = (attempt(place, passed=False, acts=acts) for place, acts in ((0, 4), (1, 0)))
    assert _choice(Bucket.SOMETIMES, [worked, silent]).agree == 1
