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
    cut: defaultdict[str, Counter[int]] = defaultdict(Counter)
    for run, seen in rows:
        if "turns" in seen:
            turns[run][seen["turns"]] += 1
            cut[run][seen["turns"]] += "user_ends" not in seen
    heaps = {
        most
        for run, counts in turns.items()
        if cut[run][most := max(counts)] >= FEWEST
        and cut[run][most] >= HEAP * counts[most - 1]
        and len(counts) > FEWEST
    }
    return {run: most for run, counts in turns.items() if (most := max(counts)) in heaps and cut[run][most]}


def at_limit(seen: Mapping[str, Any], limit: int | None) -> bool:
    """Whether a limit cut this rollout: it took as many turns, and its user did not end it."""
    return limit is not None and seen.get("turns") == limit and "user_ends" not in seen
