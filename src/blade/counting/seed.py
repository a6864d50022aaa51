"""The seed of an analysis: the user's number and the rewards that were read, whichever run comes first."""

from __future__ import annotations

from collections.abc import Collection

from xxhash import xxh3_64_hexdigest, xxh3_64_intdigest

from blade.counting.run import Run


def seed_of(runs: Collection[Run], seed: int) -> int:
    """One seed for these runs; rows in another order and runs in another order give the same.

    Only rewards have a say, no text: a run whose private words were taken out is still the same sample, and what was
    drawn for a report of it can be drawn again.
    """
    prints = sorted(_print(run) for run in runs)
    return xxh3_64_intdigest(f"{seed}|{'|'.join(prints)}".encode())


def _print(run: Run) -> str:
    rewards = run.facts["reward"].drop_nulls().sort().to_numpy() + 0.0  # so that -0.0 is 0.0
    return f"{run.facts.height}:{xxh3_64_hexdigest(rewards.tobytes())}"
