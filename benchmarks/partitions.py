"""Time and memory of counting a run of millions of rollouts in partitions, as `blade analyze --summary` does.

Usage: python benchmarks/partitions.py [ROLLOUTS]

The pieces are made here, as an engine would hand them on: 16 attempts a task, in no order, copies among them. Reading
rows is not part of it.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Iterator

import numpy as np
import polars as pl

from blade.counting.partitions import Partitions
from blade.facts.columns import SCHEMA
from blade.options import Options

PIECE = 20_000
REPEATS = 16


def pieces(rollouts: int) -> Iterator[pl.DataFrame]:
    """Facts with the columns that counting looks at; the others are empty."""
    dice = np.random.default_rng(7)
    order = dice.permutation(rollouts)
    for start in range(0, rollouts, PIECE):
        number = order[start : start + PIECE]
        task = number // REPEATS
        reward = (dice.random(len(number)) < (task % 100) / 100).astype(np.float64)
        known = {
            "line": np.arange(len(number)),
            "row_hash": number.astype(np.uint64),
            "task_index": task,
            "attempt_index": number % REPEATS,
            "reward": reward,
            "skipped": np.zeros(len(number), dtype=bool),
            "output_hash": number.astype(np.uint64),
            "response_state": ["there"] * len(number),
            "fields": [f'{{"level":{value}}}' for value in task % 7],
        }
        blank = {name: pl.Series(name, [None], dtype).new_from_index(0, len(number)) for name, dtype in SCHEMA.items()}
        yield pl.DataFrame({**blank, **known}).cast(dict(SCHEMA))  # type: ignore[arg-type]


def main() -> None:
    rollouts = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
    made = 0.0
    begun = time.process_time()
    with Partitions(Options(slices=("level",))) as partitions:
        before = time.process_time()
        for piece in pieces(rollouts):
            made += time.process_time() - before
            partitions.add(piece)
            before = time.process_time()
        found = partitions.summary()
    used = time.process_time() - begun - made
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    print("| rollouts | tasks | score | levels | seconds of a core | peak memory, MB |")
    print("|---:|---:|---:|---:|---:|---:|")
    print(
        f"| {found.rollouts:,} | {found.tasks:,} | {found.score:.4f} | {len(found.slices)} | {used:.1f} | {peak:,.0f} |"
    )


if __name__ == "__main__":
    main()
