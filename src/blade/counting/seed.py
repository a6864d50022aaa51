"""The seed of an analysis: the user's number and what was read, whichever run comes first."""

from __future__ import annotations

from collections.abc import Collection

from xxhash import xxh3_64_intdigest

from blade.counting.run import Run


def seed_of(runs: Collection[Run], seed: int) -> int:
    """One seed for these runs; rows in another order and runs in another order give the same."""
    prints = sorted(file.fingerprint or "" for run in runs for file in run.files if file.kind == "gym_rollouts")
    return xxh3_64_intdigest(f"{seed}|{'|'.join(prints)}".encode())
