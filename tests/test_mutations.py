"""Whatever happens to some rows of a run, nothing but an error of ours is raised and the other rows count as before."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples
from tests.gym_rows import Json, message, read, request, response, row, write
from xxhash import xxh3_64_intdigest

import blade
from blade import api
from blade.counting.run import Run
from blade.errors import BladeError
from blade.model import TaskResult
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


def analysed(lines: list[bytes]) -> tuple[list[Run], blade.Analysis]:
    """The runs that the lines turned out to be, and a whole analysis, after all its files were written."""
    with tempfile.TemporaryDirectory() as folder:
        path = write(Path(folder) / "a.jsonl", lines)
        runs = read(path)
        analysis = api.analyze_runs(runs, Options(cache=False))
        api.write(Path(folder) / "out", runs, analysis)
    return runs, analysis


PLACE_IN_FILE = ("file", "line", "offset")
NAMED_TOGETHER = ("label",)
"""What people read as a task's name: an id of the rows where no two tasks share it, or else the number."""


def facts_of(runs: list[Run], hashes: set[int]) -> dict[int, dict[str, Any]]:
    """Everything that is known of the rows with these hashes: what was extracted and how it is counted."""
    rows = [row for run in runs for row in run.facts.drop(*PLACE_IN_FILE, *NAMED_TOGETHER).iter_rows(named=True)]
    assert len({row["row_hash"] for row in rows}) == len(rows), "a row counts twice"
    return {row["row_hash"]: row for row in rows if row["row_hash"] in hashes}


def quotes_of(analysis: blade.Analysis, lines: set[int]) -> list[tuple[Any, ...]]:
    """What the detectors noticed in these lines."""
    noticed = analysis.noticed.filter(pl.col("line").is_in(sorted(lines)))
    return sorted(noticed.select("line", "detector", "passed", "field", "start", "end", "quote").rows(), key=str)


def results_of(analysis: blade.Analysis, task: int) -> list[TaskResult]:
    """What the runs with attempts at a task made of it, without what is usual in the whole run (attempts expected)."""
    tasks = [one for one in analysis.tasks if one.text == f"Question {task}"]
    return [replace(result, expected=None) for one in tasks for result in one.runs.values() if result.attempts]


HEALTHY_RUNS, HEALTHY_ANALYSIS = analysed(LINES)


@examples(30)
@given(mutated())
def test_a_mutation_touches_its_own_row_only(changed: dict[int, bytes]) -> None:
    """Facts, counting and findings of all other rows, and the results of all other tasks, are as without it."""
    runs, analysis = analysed([changed.get(number, line) for number, line in enumerate(LINES)])
    untouched = set(range(len(LINES))) - changed.keys()
    hashes = {xxh3_64_intdigest(LINES[number]) for number in untouched}
    assert facts_of(runs, hashes) == facts_of(HEALTHY_RUNS, hashes)
    lines = {number + 1 for number in untouched}
    if not any(b"\n" in line for line in changed.values()):
        assert quotes_of(analysis, lines) == quotes_of(HEALTHY_ANALYSIS, lines)
    claimed = {task for run in runs for task in run.facts.filter(~pl.col("row_hash").is_in(list(hashes)))["task"]}
    for task in {number // ATTEMPTS for number in untouched} - {number // ATTEMPTS for number in changed}:
        if str(task) not in claimed:
            assert results_of(analysis, task) == results_of(HEALTHY_ANALYSIS, task)
    read_lines = sum(run.facts.height for run in runs)
    lost = sum(flaw.rows for flaw in analysis.flaws if flaw.slug == "row-unreadable")
    written = [piece for line in changed.values() for piece in line.split(b"\n") if piece.strip()]
    assert read_lines + lost == len(untouched) + len(written), "a line is neither a row nor a flaw"


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
    """Each has something to lose: a score, a finding where it failed, a result of its task."""
    (run,) = HEALTHY_RUNS
    assert (run.name, run.facts["counted"].all(), run.facts["reward"].mean()) == ("a", True, 0.5)
    failed = set(run.facts.filter(~pl.col("passed"))["line"])
    assert {quote[0] for quote in quotes_of(HEALTHY_ANALYSIS, set(range(1, len(LINES) + 1)))} == failed
    assert [result.mean for task in range(TASKS) for result in results_of(HEALTHY_ANALYSIS, task)] == [0.5] * TASKS
