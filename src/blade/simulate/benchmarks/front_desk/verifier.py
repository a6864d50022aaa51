"""Runs the calls of a transcript on fresh records and compares the end state with the wanted one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from blade.simulate.benchmarks.front_desk.tools import ACTIONS, is_error, use
from blade.simulate.benchmarks.front_desk.world import Tables, fresh

if TYPE_CHECKING:
    from collections.abc import Sequence

    from blade.simulate.benchmarks.front_desk.requests import Request, RequestCall
    from blade.simulate.simulated_row import Json, SimulatedTask

__all__ = ["verify"]

SHOWN = 6


def verify(task: SimulatedTask, items: Sequence[Json]) -> Json:
    """Reward 1 only if every record ends as the reference actions leave it.

    A call that was answered with an error changed nothing, so it is not run again.
    """
    start, request = task.detail
    expected = _expected_tables(start, request)
    reached = fresh(start)
    outputs = {item["call_id"]: item["output"] for item in items if item["type"] == "function_call_output"}
    calls = [item for item in items if item["type"] == "function_call"]
    for call in calls:
        output = outputs.get(call["call_id"], "Error: never answered")
        if call["name"] in ACTIONS and not is_error(output):
            use(reached, call["name"], json.loads(call["arguments"]))
    differences = _differences(expected, reached)
    return {
        "reward": float(not differences),
        "state_match": not differences,
        "state_diff": differences[:SHOWN],
        "num_tool_calls": len(calls),
        "num_tool_errors": sum(is_error(output) for output in outputs.values()),
        "task_id": task.task_id,
        "category": task.category,
        "difficulty": task.difficulty,
    }


def _expected_tables(start: Tables, request: Request) -> Tables:
    tables = fresh(start)
    for call in request.actions:
        _must(tables, call)
    return tables


def _must(tables: Tables, call: RequestCall) -> None:
    output = use(tables, call.name, call.arguments)
    if is_error(output):
        raise ValueError(f"a reference action does not run: {call}: {output}")


def _differences(expected: Tables, reached: Tables) -> list[str]:
    """One line for each field of a record that is not as it should be."""
    lines = []
    for name, table in expected.items():
        reached_table = reached[name]
        if table == reached_table:
            continue
        moved = [key for key in table.keys() | reached_table.keys() if table.get(key) is not reached_table.get(key)]
        for record_id in sorted(moved):
            before, after = table.get(record_id, {}), reached_table.get(record_id, {})
            lines += [
                f"{name}/{record_id}: {field} is {after.get(field)!r}, wanted {before.get(field)!r}"
                for field in sorted(before.keys() | after.keys())
                if before.get(field) != after.get(field)
            ]
    return lines
