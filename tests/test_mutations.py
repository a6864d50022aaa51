"""Whatever happens to some rows of a run, nothing but an error of ours is raised and the other rows count as before."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples
from tests.gym_rows import Json, message, read, request, response, row, write
from xxhash import xxh3_64_intdigest

from blade import api
from blade.counting.run import Run
from blade.errors import BladeError
from blade.options import Options

TASKS, ATTEMPTS = 5, 2
Place = tuple[str | int, ...]


def full_row(task: int, attempt: int) -> Json:
    """A row with something of everything that the extraction looks at."""
    call = {"type": "function_call", "name": "look", "arguments": '{"at": 1}', "call_id": "c"}
    reply = {"type": "function_call_output", "call_id": "c", "output": "nothing"}
    thought = {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]}
    asked = request(
        f"Question {task}",
        instructions="Be brief.",
        tools=[{"type": "function", "name": "look", "parameters": {}}],
        reasoning={"effort": "low"},
        metadata={"extra_body": '{"seed": 1}'},
    )
    return row(
        task,
        attempt,
        float((task + attempt) % 2),
        responses_create_params=asked,
        response=response(thought, call, reply, [message(f"{task} {attempt}")], error=None, incomplete_details=None),
        skills_ref={"path": "p", "hash": "0123456789ab"},
        verification_skipped=False,
        mask_sample=False,
        agent_timed_out=False,
        failure_reason="none",
        exit_code=0,
        turns_used=3,
        max_turns=9,
        metadata={"category": "plain", "task_id": f"t{task}"},
        ng_trajectory={"gaps": [{"code": "x"}]},
        ng_model_call_capture={"calls": [{"error_category": None}], "gaps": []},
        ng_agent_observations={"records": [{"kind": "sandbox", "outcome": "completed"}], "gaps": []},
    )


ROWS = [full_row(task, attempt) for task in range(TASKS) for attempt in range(ATTEMPTS)]
LINES = [json.dumps(made).encode() for made in ROWS]


def places(value: Any, above: Place = ()) -> Iterator[Place]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, below in inner:
        yield (*above, key)
        yield from places(below, (*above, key))


PLACES = sorted(places(ROWS[0]), key=str)
ODD = [
    10**30,
    -(2**63),
    1e308,
    float("nan"),
    float("inf"),
    "\ud800",
    "--5",
    "a|b",
    "",
    [[]],
    [{}],
    {"type": []},
    [None],
]
TEXT = st.text(st.characters(codec=None, categories=["L", "Nd", "Cc", "Cs", "P"]), max_size=6)
VALUES = st.sampled_from(ODD) | st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)


def put(made: Json, place: Place, value: Any, *, take_out: bool) -> bytes:
    changed = deepcopy(made)
    holder: Any = changed
    for key in place[:-1]:
        holder = holder[key]
    if take_out:
        del holder[place[-1]]
    else:
        holder[place[-1]] = value
    return json.dumps(changed).encode()


@st.composite
def mutated(draw: st.DrawFn) -> dict[int, bytes]:
    """Line number → what it becomes, for up to four of the lines."""
    changed: dict[int, bytes] = {}
    for number in draw(st.sets(st.integers(0, len(LINES) - 1), min_size=1, max_size=4)):
        kind = draw(st.sampled_from(["flip", "cut", "swap", "swap", "swap", "delete"]))
        line = LINES[number]
        if kind == "flip":
            data = bytearray(line)
            for place in draw(st.lists(st.integers(0, len(line) - 1), min_size=1, max_size=4)):
                data[place] = draw(st.integers(0, 255))
            changed[number] = bytes(data)
        elif kind == "cut":
            changed[number] = line[: draw(st.integers(0, len(line) - 1))]
        else:
            value = draw(VALUES)
            changed[number] = put(ROWS[number], draw(st.sampled_from(PLACES)), value, take_out=kind == "delete")
    return {number: line for number, line in changed.items() if line != LINES[number]}


def analysed_rows(lines: list[bytes]) -> tuple[list[Run], pl.DataFrame]:
    """All rows of all runs that the lines turned out to be, after a whole analysis with all its files."""
    with tempfile.TemporaryDirectory() as folder:
        path = write(Path(folder) / "a.jsonl", lines)
        runs = read(path)
        api.write(Path(folder) / "out", runs, api.analyze_runs(runs, Options(cache=False)))
    columns = ("task", "attempt", "reward", "row_hash", "counted", "copy")
    return runs, pl.concat([run.facts.select(columns) for run in runs])


@examples(30)
@given(mutated())
def test_a_mutation_touches_its_own_row_only(changed: dict[int, bytes]) -> None:
    lines = [changed.get(number, line) for number, line in enumerate(LINES)]
    _, rows = analysed_rows(lines)
    healthy = {xxh3_64_intdigest(line): number for number, line in enumerate(LINES) if number not in changed}
    of_healthy = rows.filter(pl.col("row_hash").is_in(list(healthy)))
    assert of_healthy.height == len(healthy), "a healthy row was lost"
    assert of_healthy["counted"].all()
    claimed = set(rows.filter(~pl.col("row_hash").is_in(list(healthy)))["task"])
    for task in range(TASKS):
        own = of_healthy.filter(pl.col("task") == str(task))
        if str(task) in claimed or own.height < ATTEMPTS:
            continue
        assert sorted(own["reward"]) == [0.0, 1.0]
        assert sorted(own["attempt"]) == [0, 1]


@examples(30)
@given(
    st.binary(max_size=400),
    st.sampled_from(["a.jsonl", "a.json", "a_failures.jsonl", "config.yaml", "NOTES", "a.jsonl.gz"]),
)
def test_a_file_of_any_bytes_raises_nothing_but_errors_of_ours(content: bytes, name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / name).write_bytes(content)
        with pytest.raises(BladeError):
            read(folder)
        write(Path(folder) / "b.jsonl", LINES)
        assert sum(run.facts.height for run in read(folder)) == len(LINES)


def test_the_rows_are_healthy_to_begin_with() -> None:
    runs, rows = analysed_rows(LINES)
    assert [run.name for run in runs] == ["a"]
    assert rows["counted"].all()
    assert rows["reward"].mean() == 0.5
