"""What chance makes of the largest t of many slices where there are very many tasks.

Dealing the values out to the tasks costs time with every task, again and again. With tens of thousands of them the
sums over slices follow the normal law, and all that it needs are the tasks that each two slices share. Those are
counted once, and the slices' t are drawn together from that law.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from blade.stats.slice_candidates import Candidates, Floats, Null

MANY = 20_000
"""Tasks from which on the normal law is taken. It is not exact, but nearer than a thousand deals can tell."""
STRETCH = 1 << 13
JITTER = 1e-6


def normal_null(slices: Candidates, t2: Floats, draws: int, seed: int) -> Null:
    """The law of all t at once where values are dealt out at random. It does not depend on the values."""
    squares = np.square(np.random.default_rng(seed).standard_normal((draws, len(slices.first))) @ _root(slices).T)
    return Null(np.sort(squares.max(axis=1)), (squares >= t2).sum(axis=0))


@lru_cache(maxsize=1)
def _root(slices: Candidates) -> Floats:
    """A root of the correlations between slices: tasks in both, beyond what their sizes make of it."""
    tasks = len(slices.members)
    shared = np.zeros((len(slices.first), len(slices.first)))
    for start in range(0, tasks, STRETCH):
        part = slices.members[start : start + STRETCH]
        members = (part[:, slices.first] & part[:, slices.second]).astype(np.float32)
        shared += members.T @ members
    size = np.diag(shared)
    spread = np.sqrt(size * (1.0 - size / tasks))
    correlation = (shared - np.outer(size, size) / tasks) / np.outer(spread, spread)
    return np.asarray(np.linalg.cholesky(correlation + JITTER * np.eye(len(correlation))))
