"""Causes that only the rows show, in words that no rule knows."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from tests.gym_rows import ABSENT, message, response, row, write

import blade
from blade.model import Change, Part

TASKS, ATTEMPTS = 24, 3


def changed(tmp_path: Path, base: list[Any], candidate: list[Any]) -> Change:
    paths = write(tmp_path / "a.jsonl", base), write(tmp_path / "b.jsonl", candidate)
    options = blade.Options(cache=False)
    change = blade.compare_runs(blade.read(*paths, options=options), options).changes[0]
    assert sum(part.points for part in change.parts) == pytest.approx(change.delta or 0.0, abs=1e-9)
    return change


def named(change: Change) -> list[Part]:
    return [part for part in change.parts if part.named]


def run(name: str, **fields: Any) -> list[Any]:
    """Three of four rows pass; no two outputs are alike, and rows lie in an order of chance."""
    rows = [
        row(task, attempt, float((task + attempt) % 4 != 0), response=answer(f"{name} {task} {attempt}"), **fields)
        for task in range(TASKS)
        for attempt in range(ATTEMPTS)
    ]
    random.Random(name).shuffle(rows)
    return rows


def answer(text: str, **fields: Any) -> Any:
    return response(message(f"I weighed it and found {text}"), id=f"resp_{text.replace(' ', '')}", **fields)


def test_the_same_answers_judged_otherwise_are_the_verifiers_doing(tmp_path: Path) -> None:
    """Right answers to some tasks score nothing in the candidate; no answer is written alike, but the key tells."""
    broken = []
    for one in run("two"):
        other = one | ({"extracted_answer": one["expected_answer"] + ".0"} if one["reward"] else {})
        broken.append(other | ({"reward": 0.0} if one["_ng_task_index"] % 3 == 0 else {}))
    (part,) = named(changed(tmp_path, run("one"), broken))
    assert (part.cause, part.sub, part.status) == ("verifier", "change", "assumed")
    assert part.where["field"] == "the key"
    assert len(part.tasks) == TASKS // 3


def test_rows_of_another_judge_are_told_by_its_record(tmp_path: Path) -> None:
    """The record is the verifier's because it holds the mark that parts passes from failures."""

    def judged(rows: list[Any], late: bool) -> list[Any]:
        made = []
        for place, one in enumerate(rows):
            other = late and 20 <= place < 45
            reward = 0.0 if other else one["reward"]
            plain = one | {"extracted_answer": ABSENT, "expected_answer": ABSENT}
            record = {"edition": "neu" if other else "alt", "grade": 0.2 + 0.5 * reward}
            kept = {key: value for key, value in plain.items() if value is not ABSENT}
            made.append(kept | {"reward": reward, "gutachten": record})
        return made

    (part,) = named(changed(tmp_path, judged(run("one"), late=False), judged(run("two"), late=True)))
    assert (part.cause, part.status) == ("verifier", "assumed")
    assert (part.where["field"], part.where["value"]) == ("gutachten.edition", "neu")
    assert part.where["window"]["rows"] == [20, 45]


def test_rows_of_another_maker_are_set_aside_with_their_tasks(tmp_path: Path) -> None:
    """A field beside the model's name tells them; a task that only they show has not left the benchmark."""
    mixed = [
        one
        | {"setup": {"checkpoint": "step-9" if one["_ng_task_index"] < 5 else "step-1"}}
        | ({"reward": 0.0} if one["_ng_task_index"] < 5 else {})
        for one in run("two")
    ]
    plain = [one | {"setup": {"checkpoint": "step-1"}} for one in run("one")]
    (part,) = named(changed(tmp_path, plain, mixed))
    assert part.cause == "foreign_rows"
    assert len(part.tasks) == 5


@pytest.mark.parametrize("words", ["the gate gave no reply {n}", "Schalter {n} blieb zu", ""])
def test_a_dead_stretch_is_an_outage_in_any_words(tmp_path: Path, words: str) -> None:
    rows = run("two")
    for place in range(10, 30):
        output = [message(words.format(n=place))] if words else []
        rows[place] |= {"reward": 0.0, "response": response(*output, usage=None), "extracted_answer": None}
    (part,) = named(changed(tmp_path, run("one"), rows))
    assert part.cause == "infrastructure"
    assert part.where["window"]["rows"] == [10, 30]


def test_a_dead_stretch_is_seen_where_rewards_are_marks_and_nobody_says_what_a_pass_is(tmp_path: Path) -> None:
    def marked(rows: list[Any]) -> list[Any]:
        return [one | {"reward": one["reward"] * (0.5 + one["_ng_task_index"] / 100)} for one in rows]

    rows = marked(run("two"))
    for place in range(10, 30):
        silent = response(message(f"the gate gave no reply {place}"), usage=None)
        rows[place] |= {"reward": 0.0, "response": silent, "extracted_answer": None}
    parts = named(changed(tmp_path, marked(run("one")), rows))
    assert "infrastructure" in {part.cause for part in parts}


def test_a_short_notice_is_seen_where_rows_record_neither_tokens_nor_calls(tmp_path: Path) -> None:
    def plain(rows: list[Any]) -> list[Any]:
        long = " because each step follows from the one before" * 4
        return [
            one | {"response": response(message(one["response"]["output"][0]["content"][0]["text"] + long), usage=None)}
            for one in rows
        ]

    rows = plain(run("two"))
    for place in range(10, 30):
        silent = response(message(f"gate {place} shut"), usage=None)
        rows[place] |= {"reward": 0.0, "response": silent, "extracted_answer": None}
    (part,) = named(changed(tmp_path, plain(run("one")), rows))
    assert (part.cause, part.where["window"]["rows"]) == ("infrastructure", [10, 30])


def test_a_dead_row_was_not_judged_otherwise_whatever_its_fields_were_left_at(tmp_path: Path) -> None:
    """Its verdict field was never written and says what it says of passes: that is the outage, not the verifier."""

    def judged(rows: list[Any]) -> list[Any]:
        return [one | {"accepted": bool(one["reward"])} for one in rows]

    rows = judged(run("two"))
    for place in range(10, 30):
        dead = {"reward": 0.0, "response": response(usage=None), "extracted_answer": None, "accepted": True}
        rows[place] |= dead
    (part,) = named(changed(tmp_path, judged(run("one")), rows))
    assert part.cause == "infrastructure"


def test_rows_that_lost_their_record_are_no_outage_where_some_of_them_pass(tmp_path: Path) -> None:
    rows = run("two")
    for place in range(10, 30):
        rows[place] |= {"response": response(usage=None), "extracted_answer": None, "reward": float(place == 20)}
    change = changed(tmp_path, run("one"), rows)
    assert "infrastructure" not in {part.cause for part in change.parts if part.points}


def calling(rows: list[Any], broken: bool) -> list[Any]:
    """Every other task looks something up; from the middle on the tool answers one thing only."""
    made = []
    for place, one in enumerate(rows):
        task, attempt = one["_ng_task_index"], one["_ng_rollout_index"]
        dead = broken and place >= 20 and task % 2
        said = f"drawer {place} is jammed" if dead else f"entry of {'abcdefghijklmnopqrstuvwxyz'[task]}: here it is"
        call = {"type": "function_call", "name": "look_up", "call_id": "c1", "arguments": f'{{"n": {task}}}'}
        output = {"type": "function_call_output", "call_id": "c1", "output": said}
        items = [call, output, message(f"done {task} {attempt} {place}")] if task % 2 else [message(f"done {place}")]
        made.append(one | {"response": response(*items)} | ({"reward": 0.0, "extracted_answer": "17"} if dead else {}))
    return made


def test_a_tool_that_broke_is_known_by_one_answer_to_everybody(tmp_path: Path) -> None:
    (part,) = named(changed(tmp_path, calling(run("one"), broken=False), calling(run("two"), broken=True)))
    assert (part.cause, part.sub, part.blame) == ("behaviour", "broken_tool", "tool")
    assert part.where["tool"] == "look_up"
    assert "jammed" in part.where["message"]


def test_a_tool_that_answers_oddly_where_rows_failed_anyway_is_not_named(tmp_path: Path) -> None:
    rows = calling(run("two"), broken=False)
    for place, one in enumerate(rows):
        for item in one["response"]["output"]:
            if item["type"] == "function_call_output" and one["reward"] == 0.0:
                item["output"] = f"drawer {place} is jammed"
    assert not named(changed(tmp_path, calling(run("one"), broken=False), rows))


def test_an_answer_that_the_other_run_knows_is_no_broken_tool(tmp_path: Path) -> None:
    """The tool says so to whom it concerns; here more rollouts ask it for what it does not have."""
    base = calling(run("one"), broken=False)
    asking = [one for one in base if len(one["response"]["output"]) > 1]
    for one in asking[:3]:
        one["response"]["output"][1]["output"] = "drawer 7 is jammed"
    change = changed(tmp_path, base, calling(run("two"), broken=True))
    assert "broken_tool" not in {part.sub for part in change.parts}


def test_a_tool_whose_answers_are_long_may_break_too(tmp_path: Path) -> None:
    """Long answers are all different, though they have no number of their own."""

    def longer(rows: list[Any]) -> list[Any]:
        for one in rows:
            for item in one["response"]["output"]:
                if item["type"] == "function_call_output" and "jammed" not in item["output"]:
                    item["output"] += " and much more of it" * 200
        return rows

    change = changed(tmp_path, longer(calling(run("one"), broken=False)), longer(calling(run("two"), broken=True)))
    assert [part.sub for part in named(change)] == ["broken_tool"]
