"""Writes the whole family of files that a finished NeMo Gym run leaves behind."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import orjson

from blade.simulate import benchmarks
from blade.simulate.cause_context import Scenario
from blade.simulate.gym_metrics import by_task, pass_metrics, run_statistics, task_statistics
from blade.simulate.gym_rows import input_row, rollout_row
from blade.simulate.run import clean_rows, make_run
from blade.simulate.simulated_row import Json, SimulatedRow, SimulatedTranscript
from blade.simulate.truth import truth_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from blade.simulate.benchmark import SimulatedBenchmark

__all__ = ["stream_lines", "stream_rows", "write_run"]

METRICS = ("aggregate_metrics.json", "agent_metrics.json", "reward_profiling.jsonl")
HEAVY = ("responses_create_params", "response")


def stream_rows(scenario: Scenario) -> Iterator[Json]:
    """The rows of the rollouts file, in completion order. Without causes only a handful is in memory at a time."""
    agent = _agent(scenario)
    return (rollout_row(scenario, agent, row) for row in _rows(scenario) if row.place == "main")


def stream_lines(scenario: Scenario) -> Iterator[bytes]:
    """The rollouts file line by line."""
    return (_line(row) for row in stream_rows(scenario))


def write_run(scenario: Scenario, folder: str | Path, stem: str = "rollouts", *, write_truth: bool = False) -> Path:
    """Write `STEM.jsonl` and its sidecars into the folder; the path of the rollouts file comes back.

    As in Gym, a file with duplicate rows cannot be aggregated or profiled: it then has no metrics beside it.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    agent = _agent(scenario)
    light: list[Json] = []
    expected: dict[tuple[int, int], SimulatedRow] = {}
    main = folder / f"{stem}.jsonl"
    with main.open("wb") as rollouts, (folder / f"{stem}_failures.jsonl").open("wb") as failures:
        for row in _rows(scenario):
            expected[row.index, row.attempt] = row if scenario.causes else _without_text(row)
            if row.place == "nowhere":
                continue
            row_data = rollout_row(scenario, agent, row)
            (rollouts if row.place == "main" else failures).write(_line(row_data))
            if row.place == "main":
                light.append(_light(row_data))
    inputs = [input_row(scenario, agent, expected[key]) for key in sorted(expected)]
    _write_lines(folder / f"{stem}_materialized_inputs.jsonl", inputs)
    for name in METRICS:
        (folder / f"{stem}_{name}").unlink(missing_ok=True)
    keys = {(row["_ng_task_index"], row["_ng_rollout_index"]) for row in light}
    if light and len(keys) == len(light):
        _write_metrics(folder, stem, benchmarks.load(scenario.benchmark), light, inputs)
    if write_truth:
        truth = orjson.dumps(truth_of(scenario), option=orjson.OPT_INDENT_2)
        (folder / "truth.json").write_bytes(truth)
    return main


def _write_metrics(
    folder: Path, stem: str, benchmark: SimulatedBenchmark, light: list[Json], inputs: list[Json]
) -> None:
    agent_ref = inputs[0]["agent_ref"]
    statistics = run_statistics(light)
    groups = by_task(light)
    passes: Json = {}
    if benchmark.pass_metrics:
        passes = pass_metrics(list(groups.values()), benchmark.answer_field, benchmark.subset_field)
    dummy = {"agent_ref": {"name": "agent"}}
    aggregate = {
        "agent_ref": agent_ref,
        "agent_metrics": statistics | passes,
        "key_metrics": _key_metrics(statistics, passes, max(map(len, groups.values()))),
        "group_level_metrics": [task_statistics(index, rows, len(rows), dummy) for index, rows in groups.items()],
    }
    text = orjson.dumps([aggregate], option=orjson.OPT_INDENT_2)
    (folder / f"{stem}_aggregate_metrics.json").write_bytes(text)
    (folder / f"{stem}_agent_metrics.json").write_bytes(orjson.dumps([statistics | {"agent_ref": agent_ref}]))
    inputs_by_task = by_task(inputs)
    profile = [
        task_statistics(index, rows, len(inputs_by_task[index]), _sample(inputs_by_task[index][0]))
        for index, rows in groups.items()
    ]
    _write_lines(folder / f"{stem}_reward_profiling.jsonl", profile)


def _key_metrics(statistics: Json, passes: Json, repeats: int) -> Json:
    """The headline: every mean, or with pass@k the mean reward and the entries of the largest k."""
    if not passes:
        return {key: value for key, value in statistics.items() if key.startswith("mean/")}
    ends = (f"pass@1[avg-of-{repeats}]/", f"pass@{repeats}/", f"majority@{repeats}/")
    averages = {key: passes[key] for key in passes if key.startswith(ends) and key.count("/") == 1}
    return {"mean/reward": statistics["mean/reward"], **averages, "pass@1/accuracy": passes["pass@1/accuracy"]}


def _rows(scenario: Scenario) -> Iterable[SimulatedRow]:
    return make_run(scenario).rows if scenario.causes else clean_rows(scenario)


def _agent(scenario: Scenario) -> str:
    return scenario.agent or benchmarks.load(scenario.benchmark).agent


def _light(row: Json) -> Json:
    """The row without its text: what the aggregation is sent."""
    light_row = {key: value for key, value in row.items() if key not in HEAVY}
    return light_row | {"response": {"usage": row["response"]["usage"]}}


def _without_text(row: SimulatedRow) -> SimulatedRow:
    return replace(row, transcript=SimulatedTranscript(items=()))


def _sample(row: Json) -> Json:
    return {key: value for key, value in row.items() if key not in ("_ng_task_index", "_ng_rollout_index")}


def _line(row: Json) -> bytes:
    return orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE)


def _write_lines(path: Path, rows: Iterable[Json]) -> None:
    with path.open("wb") as file:
        file.writelines(map(_line, rows))
