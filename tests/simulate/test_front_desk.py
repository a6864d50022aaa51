"""The front desk has real records: what the calls do to them decides the reward."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from blade.simulate import Scenario
from blade.simulate.benchmarks import load
from blade.simulate.benchmarks.front_desk.tools import ACTIONS, SCHEMAS, is_error, use
from blade.simulate.benchmarks.front_desk.world import build, fresh
from blade.simulate.cause_context import play
from blade.simulate.simulated_row import Behaviour, SimulatedTask

DESK = load("front_desk")
SURE = Behaviour("sim-sure", 99.0, 0.7, 100_000)


def attempt(task: SimulatedTask, **changes: Any) -> list[dict[str, Any]]:
    return [dict(item) for item in play(Scenario(), DESK, task, 0, replace(SURE, **changes)).items]


def task_of(category: str, number: int = 0) -> SimulatedTask:
    return [task for task in (DESK.task(0, n) for n in range(60)) if task.category == category][number]


@pytest.mark.parametrize("number", range(12))
def test_changing_dropping_or_adding_one_action_flips_the_reward(number: int) -> None:
    task = DESK.task(0, number)
    items = attempt(task)
    spots = [spot for spot, item in enumerate(items) if item.get("name") in ACTIONS]
    assert DESK.verify(task, items)["reward"] == 1.0
    for spot in spots:
        changed = [dict(item) for item in items]
        arguments = json.loads(changed[spot]["arguments"])
        key = next(iter(arguments))
        another_id = next(name for name in build(0)[f"{key.removesuffix('_id')}s"] if name != arguments[key])
        changed[spot]["arguments"] = json.dumps({**arguments, key: another_id})
        assert DESK.verify(task, changed)["reward"] == 0.0
        assert DESK.verify(task, items[:spot] + items[spot + 1 :])["reward"] == 0.0
    assert DESK.verify(task, items[: spots[-1]])["state_diff"]


def test_the_order_of_independent_actions_does_not_matter() -> None:
    task = task_of("booking")
    items = attempt(task)
    assert DESK.verify(task, items[::-1])["reward"] == 1.0


def test_a_call_answered_with_an_error_or_not_at_all_changed_nothing() -> None:
    task = task_of("directory")
    items = attempt(task)
    refused = [
        {**item, "output": "Error: closed"} if item["type"] == "function_call_output" else item for item in items
    ]
    unanswered = [item for item in items if item["type"] != "function_call_output"]
    assert DESK.verify(task, refused)["reward"] == 0.0
    assert DESK.verify(task, unanswered)["reward"] == 0.0


def test_the_verifier_leaves_the_shared_records_alone() -> None:
    before = {name: dict(table) for name, table in build(0).items()}
    for number in range(12):
        attempt(DESK.task(0, number))
    assert build(0) == before


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("booking_burn", {}, "no tool named"),
        ("booking_cancel", {}, "is needed"),
        ("booking_cancel", {"booking_id": "B0"}, "no record"),
        ("bookings_search", {"day": "x"}, "unknown argument"),
        ("bookings_search", {"date_from": "3 March"}, "YYYY-MM-DD"),
        ("member_set_owner", {"member_id": "M0", "owner": "nobody"}, "no record"),
    ],
)
def test_a_bad_call_is_answered_with_a_reason(name: str, given: dict[str, str], said: str) -> None:
    output = use(fresh(build(0)), name, given)
    assert is_error(output)
    assert said in output


def test_an_owner_must_be_on_the_staff() -> None:
    tables = fresh(build(0))
    member = next(iter(tables["members"]))
    assert "nobody on the staff" in use(tables, "member_set_owner", {"member_id": member, "owner": "x@y.example"})


def test_every_tool_is_offered_with_a_schema() -> None:
    names = {schema["name"] for schema in SCHEMAS}
    assert set(ACTIONS) < names
    assert task_of("billing").tools == SCHEMAS
    assert all(schema["parameters"]["type"] == "object" for schema in SCHEMAS)


def test_an_unresolved_name_is_never_looked_up() -> None:
    task = task_of("directory")
    items = attempt(task, mistake="unresolved_name")
    giver = next(iter(task.detail[1].people))
    looked_up = [item["arguments"] for item in items if item.get("name") == "directory_find"]
    assert not any(giver in arguments for arguments in looked_up)
    assert any('"total": 0' in item.get("output", "") for item in items)
    assert DESK.verify(task, items)["reward"] == 0.0


def test_a_filter_in_the_head_asks_for_no_dates_and_drops_a_record_on_the_edge() -> None:
    task = task_of("booking")
    request = task.detail[1]
    items = attempt(task, mistake="head_filter")
    searches = [json.loads(item["arguments"]) for item in items if item.get("name") == "bookings_search"]
    assert searches
    assert not any("date_from" in search for search in searches)
    cancelled = [json.loads(item["arguments"])["booking_id"] for item in items if item.get("name") == "booking_cancel"]
    right_ids = [call.arguments["booking_id"] for call in request.actions]
    dropped = set(right_ids) - set(cancelled)
    assert len(dropped) == 1
    edge = build(0)["bookings"][dropped.pop()]["date"]
    span = request.look_ups[-1].arguments
    assert edge in (span["date_from"], span["date_to"])


def test_a_loop_ends_on_a_tool_output() -> None:
    items = attempt(task_of("scheduling"), mistake="loop")
    assert items[-1]["type"] == "function_call_output"
    calls = [(item["name"], item["arguments"]) for item in items if item["type"] == "function_call"]
    assert max(map(calls.count, calls)) >= 10


def test_the_reference_actions_stand_in_the_dataset_row() -> None:
    task = task_of("billing")
    assert all({"name", "arguments"} == set(action) for action in task.given["reference_actions"])
    assert len(task.given["reference_actions"]) == task.difficulty
