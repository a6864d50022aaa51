"""A verifier that changed is told by what stands beside the rewards: words, marks, checks; and by nothing else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.change.test_causes_in_rows import changed, named, run

Record = Callable[[Any, bool], Any]
"""What is recorded of a row, by the row and whether its work was right."""


def recorded(name: str, record: Record, *, bug: float | None = None) -> list[Any]:
    """Rows without key and answer; every third task scores `bug` instead of a full point, whatever is recorded."""
    made = []
    for one in run(name):
        kept = {key: value for key, value in one.items() if key not in {"expected_answer", "extracted_answer"}}
        hit = bug is not None and one["_ng_task_index"] % 3 == 0 and one["reward"] == 1.0
        made.append(kept | {"report": record(one, one["reward"] == 1.0)} | ({"reward": bug} if hit else {}))
    return made


def words(_: Any, right: bool) -> Any:
    return {"outcome": "ja" if right else "nein"}


def checks(one: Any, right: bool) -> Any:
    broken = None if right else one["_ng_task_index"] % 3
    return {"checks": [{"name": f"part {n}", "passed": n != broken} for n in range(3)]}


@pytest.mark.parametrize(("record", "field"), [(words, "report.outcome"), (checks, "the checks")])
def test_a_verdict_in_words_or_checks_tells_that_the_verifier_changed(
    tmp_path: Path, record: Record, field: str
) -> None:
    (part,) = named(changed(tmp_path, recorded("one", record), recorded("two", record, bug=0.0)))
    assert (part.cause, part.status, part.where["field"]) == ("verifier", "assumed", field)
    assert len(part.tasks) == 8


def test_half_a_point_for_what_was_accepted_is_the_verifiers_doing(tmp_path: Path) -> None:
    def flag(_: Any, right: bool) -> Any:
        return {"accepted": right}

    (part,) = named(changed(tmp_path, recorded("one", flag), recorded("two", flag, bug=0.5)))
    assert (part.cause, part.where["field"]) == ("verifier", "report.accepted")


def test_a_bar_that_was_raised_is_the_verifiers_doing(tmp_path: Path) -> None:
    """Rows pass from 6 of 10 on, later from 8 on; the marks are as they were."""

    def mark(one: Any, right: bool) -> Any:
        place = (3 * one["_ng_task_index"] + one["_ng_rollout_index"]) % 5
        return {"mark": 6.0 + place * 0.9 if right else 1.0 + place}

    rows = recorded("two", mark)
    for one in rows:
        one["reward"] = float(one["report"]["mark"] >= 8.0)
    (part,) = named(changed(tmp_path, recorded("one", mark), rows))
    assert (part.cause, part.where["field"]) == ("verifier", "report.mark")


def test_what_parts_passes_from_failures_in_one_run_only_is_no_bar(tmp_path: Path) -> None:
    """Long attempts failed in the base; the candidate fails in short ones too, which is no change of the verifier."""

    def turns(one: Any, right: bool) -> Any:
        return {"turns": 5 + one["_ng_task_index"] % 4 if right else 20 + one["_ng_task_index"] % 5}

    change = changed(tmp_path, recorded("one", turns), recorded("two", turns, bug=0.0))
    assert "verifier" not in {part.cause for part in change.parts if part.points}


def test_a_word_that_belongs_to_the_task_is_no_verdict(tmp_path: Path) -> None:
    """The base passes all easy tasks and no hard one; that the candidate fails in easy ones is its own doing."""

    def levels(name: str, lost: bool) -> list[Any]:
        rows = recorded(name, lambda one, _: {"level": "hard" if one["_ng_task_index"] < 8 else "easy"})
        for one in rows:
            task = one["_ng_task_index"]
            one["reward"] = float(task >= 8 and not (lost and task % 3 == 0))
        return rows

    change = changed(tmp_path, levels("one", lost=False), levels("two", lost=True))
    assert "verifier" not in {part.cause for part in change.parts if part.points}


def test_an_answer_that_infrastructure_broke_was_not_judged_otherwise(tmp_path: Path) -> None:
    """Rows hold the same text in both runs; some carry an error of the backend and score nothing."""
    rows = [dict(one) for one in run("one")]
    for place in range(10, 30):
        failed = {"status": "failed", "error": {"code": "server_error", "message": "backend gone"}}
        rows[place] |= {"reward": 0.0, "response": rows[place]["response"] | failed}
    parts = named(changed(tmp_path, run("one"), rows))
    assert {part.cause for part in parts} == {"infrastructure"}


def test_a_tool_that_fails_half_of_its_calls_is_known_by_the_same_calls(tmp_path: Path) -> None:
    """Its other calls are answered as before; the failed ones were answered in the other run."""

    def calling(name: str, broken: bool) -> list[Any]:
        made = []
        for place, one in enumerate(recorded(name, words)):
            task = one["_ng_task_index"]
            dead = broken and task % 2 == 1 and place >= 15
            items: list[Any] = []
            for number, letter in enumerate("ab"):
                call = {
                    "type": "function_call",
                    "name": "look_up",
                    "call_id": letter,
                    "arguments": f'{{"{letter}": {task}}}',
                }
                entry = f"entry {'lmnopqrstuvwxyzabcdefghijk'[task]} of {letter} is here"
                said = f"drawer {place} is jammed" if dead and number else entry
                items += [call, {"type": "function_call_output", "call_id": letter, "output": said}]
            items = (items if task % 2 else []) + one["response"]["output"]
            lost = {"reward": 0.0, "report": {"outcome": "nein"}} if dead else {}
            made.append(one | {"response": one["response"] | {"output": items}} | lost)
        return made

    (part,) = named(changed(tmp_path, calling("one", broken=False), calling("two", broken=True)))
    assert (part.sub, part.blame, part.where["tool"]) == ("broken_tool", "tool", "look_up")


@pytest.mark.parametrize(("chosen", "causes"), [("by chance", {"verifier"}), ("by outcome", set())])
def test_another_judge_here_and_there_counts_unless_failures_chose_it(
    tmp_path: Path, chosen: str, causes: set[str]
) -> None:
    """Rows of the usual judge score as before; were they better, the other judge would only have got the failures."""

    def judged(name: str) -> list[Any]:
        return recorded(name, lambda one, right: {"by": "usual", "grade": 0.9 if right else 0.2 + one["reward"]})

    rows = judged("two")
    for place, one in enumerate(rows):
        failed = one["reward"] == 0.0
        if place % 2 if chosen == "by chance" else failed or one["_ng_task_index"] % 3 == 0:
            one["report"]["by"] = "other"
            if not failed and (chosen == "by outcome" or place % 3):
                one |= {"reward": 0.0, "report": {"by": "other", "grade": 0.2}}
    parts = changed(tmp_path, judged("one"), rows).parts
    assert {part.cause for part in parts if part.cause == "verifier" and part.named} == causes


@pytest.mark.parametrize("field", ["score", "outcome"])
def test_a_verdict_is_no_judge_where_one_run_has_only_failures(tmp_path: Path, field: str) -> None:
    """The base fails everywhere, so that its score is one value; the candidate's passes are no other judge's."""

    def scored(name: str, passes: bool) -> list[Any]:
        rows = recorded(name, words)
        for one in rows:
            good = passes and one["reward"] == 1.0
            verdict = float(good) if field == "score" else "ja" if good else "nein"
            one |= {"reward": float(good), "verifier": {"scores": {field: verdict}}}
            del one["report"]
        return rows

    change = changed(tmp_path, scored("one", passes=False), scored("two", passes=True))
    assert "verifier" not in {part.cause for part in change.parts if part.points}
    assert "verifier.scores" not in str([part.where for part in change.parts])
