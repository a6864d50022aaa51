"""Statements that readers of transcripts found to be wrong, each held by the smallest rows that brought it about."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.detectors.attempts import CLEAN, FIRED, attempt, call, say
from tests.gym_rows import analysed, message, response, row, write

from blade.detectors import agent_timeout, ends_on_tool_output, tool_keeps_failing
from blade.diagnosis.transcript_summary import Event, Track
from blade.document import Paragraph
from blade.extract.against_reference import action_key
from blade.extract.denials import denial
from blade.extract.observed import tool_answers
from blade.health import check_never_judged
from blade.model import Analysis, Change, Part, StepKind
from blade.sections import workflow_funnel
from blade.summary.change_words import named_parts


def test_a_clock_that_strikes_after_the_work_was_handed_in_ends_nothing() -> None:
    work = call("edit_file", {"path": "a"}, "ok")
    late: dict[str, Any] = {"failure_mode": "agent_timeout", "reward": 0.0}
    assert agent_timeout.detect(attempt(*work, **late)).state is FIRED
    assert agent_timeout.detect(attempt(*work, *call("submit", {}, "taken"), **late)).state is CLEAN


def test_a_model_that_says_the_task_is_complete_was_not_cut_off() -> None:
    rounds = [*call("run", {"n": 1}, "1 file"), *call("run", {"n": 2}, "2 files")]
    assert ends_on_tool_output.detect(attempt(*rounds)).state is FIRED
    closing = [say('{"analysis": "all is there", "task_complete": true}'), *call("run", {"n": 3}, "3 files")]
    assert ends_on_tool_output.detect(attempt(*rounds, *closing)).state is CLEAN


def test_a_tool_that_worked_in_between_is_told_with_both_counts() -> None:
    calls = [item for n, said in enumerate(("Error: no", "fine", "Error: no")) for item in call("run", {"n": n}, said)]
    assert tool_keeps_failing.detect(attempt(*calls)).detail == "'run' failed in 2 of its 3 calls, the last among them"
    assert tool_keeps_failing.detect(attempt(*calls[:2])).detail == "'run' failed in its only call"


def test_identifiers_are_a_set_and_pairs_stay_pairs() -> None:
    def key(old: list[str], new: list[str]) -> bytes:
        return action_key("exchange", {"items": old, "new_items": new})

    assert key(["A1001", "B2002"], ["C3003", "D4004"]) == key(["B2002", "A1001"], ["D4004", "C3003"])
    assert key(["A1001", "B2002"], ["C3003", "D4004"]) != key(["B2002", "A1001"], ["C3003", "D4004"])
    assert action_key("walk", {"steps": ["left", "right"]}) != action_key("walk", {"steps": ["right", "left"]})


@pytest.mark.parametrize(
    ("words", "denied"),
    [
        ("I do not have the ability to search for items by colour.", True),
        ("I don't have a way to find other variants.", True),
        ("I do not have the ability to guarantee a turnaround of three days.", False),
        ("I cannot look that up without your name.", False),
    ],
)
def test_a_denial_is_about_looking_something_up(words: str, denied: bool) -> None:
    assert bool(denial(attempt(*call("list_items", {}, "[]"), say(words)))) is denied


def test_words_that_a_harness_puts_before_every_answer_are_no_part_of_it() -> None:
    calls = [*call("look", {"n": 1}, "API output: Error: not there"), *call("look", {"n": 2}, "API output: 4 jars")]
    answers = [(call.name, text) for call, text in tool_answers(attempt(*calls))]
    assert answers == [("look", "Error: not there"), ("look", "4 jars")]


def test_calls_that_fail_are_no_cause_by_themselves_and_a_tool_that_broke_is() -> None:
    def one(sub: str) -> Part:
        return Part("behaviour", sub, 0.1, None, "assumed", True, (), 3, {"mode": sub}, blame="tool")

    change = Change.__new__(Change)
    object.__setattr__(change, "parts", (one("tool_keeps_failing_look"), one("broken_tool")))
    causes, shapes = named_parts(change)
    assert [part.sub for part in causes] == ["broken_tool"]
    assert [part.sub for part in shapes] == ["tool_keeps_failing_look"]


def test_attempts_of_which_only_a_screen_was_kept_are_not_compared() -> None:
    event = Event.__new__(Event)
    object.__setattr__(event, "kind", StepKind.ENVIRONMENT)
    track = Track.__new__(Track)
    object.__setattr__(track, "events", (event,))
    assert not track.recorded


def funnel_words(analysis: Analysis) -> str:
    blocks = [block for block in workflow_funnel.build(analysis) if isinstance(block, Paragraph)]
    return " ".join(sentence.text for block in blocks for sentence in block.sentences)


def working(task: int, reward: float) -> dict[str, Any]:
    items = [*call("look", {"n": task}, f"shelf {task}"), *call("put", {"n": task}, "done"), message(f"It is {task}.")]
    return row(task, 0, reward, response=response(*items))


def test_few_passes_do_not_tell_what_a_pass_can_do_without(tmp_path: Path) -> None:
    few = analysed(write(tmp_path / "few.jsonl", [working(task, float(task == 0)) for task in range(8)]))
    assert "do without" not in funnel_words(few).replace("be done without", "")
    many = analysed(write(tmp_path / "many.jsonl", [working(task, float(task < 6)) for task in range(8)]))
    assert "With 1 pass" not in funnel_words(many)


def test_many_runs_that_lose_most_at_one_step_are_told_together(tmp_path: Path) -> None:
    def path(name: str, passes: int) -> Path:
        return write(tmp_path / f"{name}.jsonl", [working(task, float(task < passes)) for task in range(8)])

    told = funnel_words(analysed(*(path(name, passes) for name, passes in zip("abcd", (6, 5, 4, 3), strict=True))))
    assert told.startswith("All runs lose most between verified and passed: a 2 of 8, b 3 of 8, c 4 of 8 and d 5 of 8.")
    assert "completed every stage" not in told
    few = funnel_words(analysed(path("a", 6), path("b", 5)))
    assert few.count("completed every stage") == 2


def test_a_run_sorted_by_task_has_no_outage_window(tmp_path: Path) -> None:
    lost = {"response": response(), "error_message": "503 Service Unavailable", "reward": 0.0}
    rows = [
        working(task, 1.0) | {"_ng_rollout_index": n} | (lost if 10 <= task < 14 else {})
        for task in range(24)
        for n in range(4)
    ]
    found = analysed(write(tmp_path / "sorted.jsonl", rows))
    assert found.runs[0].statuses["infrastructure"] == 16
    assert "outage_window" not in {item["check"] for item in found.health}


def test_texts_beside_checks_are_no_checks_without_a_verdict() -> None:
    assert check_never_judged._is_open(None)
    assert check_never_judged._is_open("skipped")
    assert not check_never_judged._is_open("def solve(): return 1")
    assert not check_never_judged._is_open("code_generation")


def test_settings_that_every_row_repeats_are_no_checks(tmp_path: Path) -> None:
    settings = {"with_hints": False, "with_tests": False, "tutorial": None}
    rows = [row(n, reward=float(n % 2), metadata={"task_args": settings}) for n in range(8)]
    found = analysed(write(tmp_path / "settings.jsonl", rows))
    assert "check_never_judged" not in {item["check"] for item in found.health}
    for n, one in enumerate(rows):
        one["metadata"] = {"checks": {"with_hints": n % 2 == 1, "with_tests": True, "tutorial": None}}
    found = analysed(write(tmp_path / "checks.jsonl", rows))
    assert "check_never_judged" in {item["check"] for item in found.health}
