"""Statistics at size: slices of a large table, and tests and bootstraps over many tasks.

    python -m benchmarks.at_size slices [ROWS [COLUMNS]]
    python -m benchmarks.at_size statistics

The last line printed is JSON: the name of each step and its seconds of a core. Slices print one line after every step,
so that what was done is known even if the time is up before the end.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import orjson
import polars as pl

from blade.counting.columns import columns as field_columns
from blade.counting.fields import field_rows
from blade.counting.metrics import task_rows
from blade.counting.passing import PassRule
from blade.counting.slices import field_profile, slice_table, task_slices
from blade.stats.contrast import bootstrap_ratio
from blade.stats.paired import churn, label_permutation
from blade.stats.slicing import find_slices

__all__ = ["TASKS", "facts_table", "slices_at_size", "statistics_at_size"]

REPEATS = 4
TASKS = (164, 1_000, 10_000)


def facts_table(rows: int, columns: int) -> pl.DataFrame:
    """Rows of tasks with four attempts; every task has a level of each of these columns."""
    rng = random.Random(3)
    kinds = [[f"level {level}" for level in range(3 + column % 12)] for column in range(columns)]
    tasks = rows // REPEATS
    texts = [
        orjson.dumps({f"category_{place}": rng.choice(kind) for place, kind in enumerate(kinds)}).decode()
        for _ in range(tasks)
    ]
    names = [f"task-{number:07d}" for number in range(tasks)]
    rewards = [float(rng.random() < 0.6) for _ in range(tasks * REPEATS)]
    return pl.DataFrame(
        {
            "task": [name for name in names for _ in range(REPEATS)],
            "fields": [text for text in texts for _ in range(REPEATS)],
            "reward": rewards,
            "passed": [reward == 1.0 for reward in rewards],
            "answer": pl.Series([None] * len(rewards), dtype=pl.String),
        }
    )


def slices_at_size(rows: int, columns: int) -> dict[str, float]:
    """Every step from the column of fields to the table of slices and to the slices that stand out."""
    facts = facts_table(rows, columns)
    taken: dict[str, float] = {}
    fields = _clocked(taken, "parse the column of fields", lambda: field_rows(facts))
    known = _clocked(taken, "fields by column (columns)", lambda: tuple(field_columns(fields)))
    run: Any = SimpleNamespace(facts=facts, inputs=pl.DataFrame(), fields=lambda: fields, columns=known)
    slices = _clocked(taken, "levels of every task (task_slices)", lambda: task_slices(run))
    tasks = _clocked(taken, "rows by task (task_rows)", lambda: task_rows(facts))
    rule = PassRule(1.0, "benchmark", "unit")
    _clocked(taken, "table of slices (slice_table)", lambda: slice_table(tasks, slices, rule))
    _clocked(taken, "profile of the fields (field_profile)", lambda: field_profile(facts, known))
    values = [task.total / task.n - 0.6 for task in tasks]
    metadata = [slices[task.task] for task in tasks]
    _clocked(taken, "slices that stand out (find_slices)", lambda: find_slices(values, metadata, permutations=1000))
    return taken


def statistics_at_size(tasks: int) -> dict[str, float]:
    """Tests of a change and a bootstrap over this many tasks, with whole and with broken scores."""
    rng = np.random.default_rng(tasks)
    rates = rng.beta(2.0, 2.0, tasks)
    taken: dict[str, float] = {}
    for kind, steps in (("passes", 1), ("scores of many values", 0)):
        runs = []
        for more in (0.0, 0.02):
            drawn = rng.random((tasks, REPEATS))
            whole = (drawn < np.minimum(rates + more, 1.0)[:, None]).astype(float)
            runs.append((whole if steps else np.round(np.minimum(whole * drawn, 1.0), 6)).tolist())
        first, second = runs
        parts = [(sum(x) - sum(y), float(REPEATS)) for x, y in zip(first, second, strict=True)]
        _clocked(taken, f"permutation test, {kind}", partial(label_permutation, first, second, seed=0))
        _clocked(taken, f"churn test, {kind}", partial(churn, first, second, seed=0))
        _clocked(taken, f"bootstrap of 2,000 draws, {kind}", partial(bootstrap_ratio, parts))
    return taken


def _clocked(taken: dict[str, float], name: str, work: Callable[[], Any]) -> Any:
    begun = time.process_time()
    made = work()
    taken[name] = time.process_time() - begun
    print(json.dumps(taken), flush=True)
    return made


def main() -> None:
    if sys.argv[1] == "slices":
        rows, columns = (int(text) for text in (*sys.argv[2:], *("1000000", "20")[len(sys.argv) - 2 :]))
        slices_at_size(rows, columns)
    else:
        print(json.dumps({f"{tasks}": statistics_at_size(tasks) for tasks in TASKS}))


if __name__ == "__main__":
    main()
