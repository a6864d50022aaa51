"""A limit of turns that nothing names: many rollouts of a run stop at the same largest number."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

FEWEST = 3
HEAP = 2
"""A limit is the largest number of turns, where so many times more rollouts stop than one turn before."""


def turn_limits(rows: Iterable[tuple[str, Mapping[str, Any]]]) -> dict[str, int]:
    """The number of turns at which the rollouts of a run heap, and above which none goes; one heap serves all runs.

    `rows` are the runs' names with what was observed of each rollout.
    """
    turns: defaultdict[str, Counter[int]] = defaultdict(Counter)
    for run, seen in rows:
        if "turns" in seen:
            turns[run][seen["turns"]] += 1
    heaps = {
        most
        for counts in turns.values()
        if counts[most := max(counts)] >= FEWEST and counts[most] >= HEAP * counts[most - 1] and len(counts) > FEWEST
    }
    return {run: most for run, counts in turns.items() if (most := max(counts)) in heaps}
