"""The same two runs told differently: a sound analysis finds the same parts in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import orjson
from benchmarks.planted_suite.planted_case import PlantedCase

from blade.simulate.rng import dice
from blade.simulate.simulated_row import Json

__all__ = ["TRANSFORMS", "doubled", "renamed", "shuffled", "swapped"]

INDEX, NAME = "_ng_task_index", "task_id"
FILES = ("rollouts.jsonl", "rollouts_failures.jsonl", "rollouts_materialized_inputs.jsonl")
Rewrite = Callable[[list[Json]], Iterable[Json]]


def swapped(case: PlantedCase, _: Path) -> PlantedCase:
    """Base and candidate change places: every part changes its sign."""
    return replace(case, base=case.candidate, candidate=case.base)


def shuffled(case: PlantedCase, folder: Path) -> PlantedCase:
    """Lines in another order."""
    rng = dice("shuffled", case.truth.seed)
    return _rewritten(case, folder, lambda rows: rng.sample(rows, len(rows)))


def renamed(case: PlantedCase, folder: Path) -> PlantedCase:
    """Other names for the tasks, the same in both runs."""
    return _rewritten(case, folder, lambda rows: [{**row, NAME: f"other-{row[NAME]}"} for row in rows])


def doubled(case: PlantedCase, folder: Path) -> PlantedCase:
    """Every task a second time under a name of its own: means and parts stay."""
    return _rewritten(case, folder, lambda rows: [*rows, *(_second(row, case.truth.tasks) for row in rows)])


TRANSFORMS: dict[str, Callable[[PlantedCase, Path], PlantedCase]] = {
    "swapped": swapped,
    "shuffled": shuffled,
    "renamed": renamed,
    "doubled": doubled,
}


def _second(row: Json, tasks: int) -> Json:
    """The task again; its text says that it is another one."""
    request = row["responses_create_params"]
    *before, last = request["input"]
    messages = [*before, {**last, "content": f"Second series. {last['content']}"}]
    again = {**row, "responses_create_params": {**request, "input": messages}}
    return again | {INDEX: row[INDEX] + tasks, NAME: f"{row[NAME]}-second"}


def _rewritten(case: PlantedCase, folder: Path, rewrite: Rewrite) -> PlantedCase:
    paths = {}
    for side, path in (("base", case.base), ("candidate", case.candidate)):
        place = folder / side
        place.mkdir(parents=True, exist_ok=True)
        for name in FILES:
            if (path.parent / name).exists():
                rows = [orjson.loads(line) for line in (path.parent / name).read_bytes().splitlines()]
                lines = [orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rewrite(rows)]
                (place / name).write_bytes(b"".join(lines))
        paths[side] = place / path.name
    return PlantedCase(paths["base"], paths["candidate"], case.truth)
