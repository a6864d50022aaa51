"""Writes only what a comparison needs of a run: rollouts, materialized inputs, and failures where there are any."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson
from benchmarks.planted_suite.evidence_level import Level, shown_row

from blade.simulate.gym_rows import input_row

if TYPE_CHECKING:
    from pathlib import Path

    from blade.simulate.run import SimulatedRun
    from blade.simulate.simulated_row import Json, SimulatedRow

__all__ = ["write_light"]


def write_light(run: SimulatedRun, folder: Path, level: Level = "E2", *, manifest: bool = True) -> Path:
    """The path of the rollouts file comes back. Without a manifest nobody says which rows were expected."""
    folder.mkdir(parents=True, exist_ok=True)
    agent = run.scenario.agent or run.benchmark.agent
    before = {row.key: row for row in run.clean}
    main: list[bytes] = []
    failures: list[bytes] = []
    for row in run.rows:
        if row.place != "nowhere":
            row_data = shown_row(run.scenario, agent, row, before[row.key], level)
            (main if row.place == "main" else failures).append(_dense(row_data))
    path = folder / "rollouts.jsonl"
    path.write_bytes(b"".join(main))
    if failures:
        (folder / "rollouts_failures.jsonl").write_bytes(b"".join(failures))
    if manifest:
        expected = _expected(run, level, before)
        lines = [_dense(input_row(run.scenario, agent, row)) for row in expected]
        (folder / "rollouts_materialized_inputs.jsonl").write_bytes(b"".join(lines))
    return path


def _expected(run: SimulatedRun, level: Level, before: dict[str, SimulatedRow]) -> list[SimulatedRow]:
    """Every attempt that was asked for, once, in order."""
    row_by_place = {(row.index, row.attempt): before[row.key] if level == "E0" else row for row in run.rows}
    return [row_by_place[key] for key in sorted(row_by_place)]


def _dense(row: Json) -> bytes:
    """One line. The tool schemas are the same on every row, so their text is made once."""
    for holder in (row["responses_create_params"], row.get("response", {})):
        if holder.get("tools"):
            holder["tools"] = _schemas(holder["tools"])
    return orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE)


_WRITTEN: dict[int, tuple[Json, orjson.Fragment]] = {}
"""Text by the identity of the first schema, which is kept here so that the identity stays its own."""


def _schemas(tools: list[Json]) -> orjson.Fragment:
    first = tools[0]
    if id(first) not in _WRITTEN:
        _WRITTEN[id(first)] = (first, orjson.Fragment(orjson.dumps(tools)))
    return _WRITTEN[id(first)][1]
