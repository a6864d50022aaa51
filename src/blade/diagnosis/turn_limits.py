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

    A rollout that its user ended is cut by no limit, whatever its length.

    `rows` are the runs' names with what was observed of each rollout.
    """
    turns: defaultdict[str, Counter[int]] = defaultdict(Counter)
    cut_counts: defaultdict[str, Counter[int]] = defaultdict(Counter)
    for run, observed in rows:
        if "turns" in observed:
            turns[run][observed["turns"]] += 1
            cut_counts[run][observed["turns"]] += "user_ends" not in observed
    heaps = {
        top
        for run, counts in turns.items()
        if cut_counts[run][top := max(counts)] >= FEWEST
        and cut_counts[run][top] >= HEAP * counts[top - 1]
        and len(counts) > FEWEST
    }
    return {run: top for run, counts in turns.items() if (top := max(counts)) in heaps and cut_counts[run][top]}


def at_limit(observed: Mapping[str, Any], limit: int | None) -> bool:
    """Whether a limit cut this rollout: it took as many turns, and its user did not end it."""
    return limit is not None and observed.get("turns") == limit and "user_ends" not in observed
