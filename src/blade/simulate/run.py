"""Makes a run: the clean rows in the order they finish, then the causes on top."""

from __future__ import annotations

import heapq
from dataclasses import asdict
from typing import TYPE_CHECKING

from blade.frozen import frozen
from blade.simulate import benchmarks
from blade.simulate.cause_context import CauseContext, Scenario, outlook, play
from blade.simulate.rng import dice
from blade.simulate.simulated_row import Behaviour, Json, SimulatedRow

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from blade.simulate.benchmark import SimulatedBenchmark

__all__ = ["Planted", "SimulatedRun", "clean_rows", "expected_score", "make_run", "plant", "score"]

EPOCH = 1_750_000_000.0
WORKERS = 8


@frozen
class Planted:
    """One cause, the rows it changed, and where to look for it."""

    cause: str
    settings: Json
    rows: tuple[str, ...]
    where: Json


@frozen
class SimulatedRun:
    """A run in memory: the rows as they would have been, and as they are."""

    scenario: Scenario
    benchmark: SimulatedBenchmark
    clean: tuple[SimulatedRow, ...]
    rows: tuple[SimulatedRow, ...]
    planted: tuple[Planted, ...]


def make_run(scenario: Scenario, clean: tuple[SimulatedRow, ...] | None = None) -> SimulatedRun:
    """The run with its causes planted; the clean rows may be handed in where they are already made."""
    clean = tuple(clean_rows(scenario)) if clean is None else clean
    rows, planted = plant(scenario, clean, range(len(scenario.causes)))
    return SimulatedRun(scenario, benchmarks.load(scenario.benchmark), clean, rows, planted)


def clean_rows(scenario: Scenario) -> Iterator[SimulatedRow]:
    """Rows in completion order, a few at a time in memory: several workers take the tasks in turn."""
    benchmark = benchmarks.load(scenario.benchmark)
    behaviour = Behaviour(scenario.model, scenario.skill, scenario.temperature, scenario.max_output_tokens)
    clock = dice("clock", scenario.seed, scenario.dice, scenario.model)
    running: list[tuple[float, int, SimulatedRow]] = []
    now = EPOCH
    for number in range(scenario.tasks * scenario.repeats):
        index, attempt = divmod(number, scenario.repeats)
        if attempt == 0:
            task = benchmark.task(scenario.seed, scenario.first_task + index)
        if len(running) == WORKERS:
            now, _, row = heapq.heappop(running)
            yield row
        transcript = play(scenario, benchmark, task, attempt, behaviour)
        finished = now + transcript.seconds + clock.expovariate(1.0)
        verdict = benchmark.verify(task, transcript.items)
        ahead = outlook(task, behaviour, transcript)
        row = SimulatedRow(index, attempt, task, behaviour, transcript, verdict, finished, outlook=ahead)
        heapq.heappush(running, (finished, number, row))
    for _, _, row in sorted(running, key=lambda entry: entry[:2]):
        yield row


def plant(
    scenario: Scenario, clean: tuple[SimulatedRow, ...], cause_numbers: Sequence[int]
) -> tuple[tuple[SimulatedRow, ...], tuple[Planted, ...]]:
    """The rows after the chosen causes; each cause throws its own dice, whichever others are planted."""
    benchmark = benchmarks.load(scenario.benchmark)
    rows, planted = clean, []
    for number in sorted(cause_numbers, key=lambda number: (scenario.causes[number].stage, number)):
        cause = scenario.causes[number]
        rng = dice("cause", scenario.seed, scenario.dice, number, cause.name)
        edit = cause.plant(CauseContext(scenario, benchmark, rows, rng))
        planted.append(Planted(cause.name, asdict(cause), _touched(rows, edit.rows), edit.where))
        rows = edit.rows
    return rows, tuple(planted)


def score(rows: Sequence[SimulatedRow]) -> float:
    """The headline: mean reward per task first, over the rows of the main file."""
    return _mean_by_task((row.index, row.reward) for row in rows if row.place == "main")


def expected_score(rows: Sequence[SimulatedRow]) -> float:
    """The headline that many reruns of these rows would give on average."""
    return _mean_by_task((row.index, row.outlook) for row in rows if row.place == "main")


def _mean_by_task(rewards_by_index: Iterable[tuple[int, float]]) -> float:
    by_task: dict[int, list[float]] = {}
    for index, reward in rewards_by_index:
        by_task.setdefault(index, []).append(reward)
    means = [sum(rewards) / len(rewards) for rewards in by_task.values()]
    return sum(means) / len(means) if means else 0.0


def _content(row: SimulatedRow) -> tuple[object, ...]:
    return row.transcript, row.verdict, row.place, row.stamps, row.task.given


def _touched(before: tuple[SimulatedRow, ...], after: tuple[SimulatedRow, ...]) -> tuple[str, ...]:
    """Keys of rows whose content, verdict or place differ; a copied row counts once for each copy."""
    old = {row.key: row for row in before}
    keys_seen: set[str] = set()
    touched = []
    for row in after:
        was = old[row.key]
        unchanged = _content(row) == _content(was)
        if row.key in keys_seen or not (row is was or unchanged):
            touched.append(row.key)
        keys_seen.add(row.key)
    return tuple(touched)
