"""Rows are read a few at a time: that changes nothing in any of them, and holds no more than a few."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any

import orjson
import polars as pl
import pytest
from tests import gym_rows as gym

from blade.engine import rows as engine_rows
from blade.engine.facts_chunks import Job, read_piece
from blade.engine.rows import NO_INPUTS, FlawTally, RowReader
from blade.extract.attempt import Attempt
from blade.extract.declared import NOTHING
from blade.facts.table import FactsBuilder
from blade.files.lines import Line

KNOWN = NOTHING, NO_INPUTS
CALL = {"type": "function_call", "name": "look", "arguments": '{"order_id": "W1234567"}', "call_id": "c"}
OUTPUT = {"type": "function_call_output", "call_id": "c", "output": "Error: no such order: it timed out"}
ROWS: list[Any] = [
    gym.row(0, 0, 1.0, response=gym.response(gym.message("The answer is 4, as I have been told before."))),
    gym.row(0, 1, 0.0, response=gym.response(CALL, OUTPUT, gym.message("I could not find the order."))),
    "no row at all",
    gym.row(1, 0, 0.0, error="ConnectionError: the host is unreachable"),
    gym.row(1, 1, None),
    gym.row(2, 0, 1.0, response=gym.response(gym.message("I think that I have looked at it twice. " * 30))),
]

TOOL = {"type": "function", "name": "list_orders", "parameters": {"properties": {"status": {"type": "string"}}}}
ORDERS = [{"id": f"W{number}", "status": "open"} for number in range(10, 14)]
LISTED = {"type": "function_call", "name": "list_orders", "arguments": "{}", "call_id": "a"}
SHOWN = {"type": "function_call_output", "call_id": "a", "output": orjson.dumps(ORDERS).decode()}
CANCELLED = {"type": "function_call", "name": "cancel_order", "arguments": '{"order_id": "W11"}', "call_id": "b"}
PICKED = gym.row(
    *(3, 0, 0.0),
    responses_create_params=gym.request("Cancel my late order.", tools=[TOOL]),
    response=gym.response(LISTED, SHOWN, gym.message("Of these only the one that is overdue counts."), CANCELLED),
)


def _read(path: Path) -> tuple[pl.DataFrame, list[tuple[str, int | None, int | None]]]:
    piece = read_piece(Job(str(path), "rollouts", 0, path.stat().st_size, path.stat().st_size), KNOWN)
    return piece.facts, [(flaw.statement, flaw.line, flaw.rows) for flaw in piece.flaws]


def test_a_row_says_the_same_by_itself_and_among_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "rollouts.jsonl"
    path.write_bytes(b"\n".join(orjson.dumps(row) for row in ROWS))
    together, flaws = _read(path)
    assert together["line"].to_list() == [1, 2, 4, 5, 6]
    assert together["model_phrases"].null_count() < together.height > together["detectors"].n_unique() > 1
    for most in (1, 2, 3):
        monkeypatch.setattr(engine_rows, "MOST_ROWS", most)
        facts, again = _read(path)
        assert facts.equals(together)
        assert again == flaws


def test_a_rule_that_stops_on_one_row_speaks_of_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    from blade.detectors import names, text_loop  # noqa: PLC0415 - patched here

    real = text_loop.detect

    def stopping(attempt: Any) -> Any:
        return real(attempt) if attempt.row["_ng_task_index"] != 1 else 1 / 0

    monkeypatch.setattr(text_loop, "detect", stopping)
    tally = FlawTally()
    lines = [Line(number, 0, orjson.dumps(row)) for number, row in enumerate(ROWS, 1)]
    records = engine_rows.read_lines(lines, "rollouts", KNOWN, tally)
    place = names().index("text_loop")
    assert [record["detectors"][place] == "x" for record in records] == [False, False, True, True, False]
    assert [(flaw.line, flaw.rows) for flaw in tally.flaws() if flaw.slug == "detector-crashed"] == [(4, 2)]


@pytest.mark.parametrize(("sizes", "batches"), [((1,) * 80, [32, 32, 16]), ((600, 600, 10, 2000, 10), [1, 2, 1, 1])])
def test_no_more_is_held_than_a_few_rows(
    sizes: tuple[int, ...], batches: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    monkeypatch.setattr(engine_rows, "LARGEST_BATCH", 1000)

    def reading(lines: list[Line], *_: Any) -> list[dict[str, Any]]:
        read.append(len(lines))
        return []

    monkeypatch.setattr(engine_rows, "read_lines", reading)
    reader = RowReader("rollouts", KNOWN, FactsBuilder(), FlawTally())
    for number, size in enumerate(sizes):
        reader.add(Line(number, 0, b"x" * size))
    reader.finish()
    assert [many for many in read if many] == batches


class Watched(Attempt):
    """An attempt of this test, told from those that other tests keep."""


def test_a_row_is_forgotten_without_looking_for_cycles(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a rule remembers of an attempt must not hold that attempt: rows of megabytes would pile up."""
    monkeypatch.setattr(engine_rows, "Attempt", Watched)
    lines = [Line(number, 0, orjson.dumps(row)) for number, row in enumerate((*ROWS, PICKED), 1)]
    gc.disable()
    try:
        records = engine_rows.read_lines(lines, "rollouts", KNOWN, FlawTally())
        remaining = [value.row for value in gc.get_objects() if isinstance(value, Watched)]
    finally:
        gc.enable()
    assert "manual_filter" in records[-1]["sightings"]
    assert remaining == []
