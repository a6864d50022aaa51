"""What a score would be over the least affected attempts of each task: a ceiling of what a repair could bring.

Each task keeps its attempts free of the causes in question, or all of them if none is free; ties are averaged, never
the best taken, and no task is dropped. It rises with the number of attempts, and ceilings do not add up.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tried:
    """One attempt: its reward, and the causes whose signs it bears, whether it passed or not."""

    reward: float
    causes: Collection[str] = ()


Tasks = Sequence[Sequence[Tried]]


def score(tasks: Tasks, without: Collection[str] = ()) -> float | None:
    """The mean over tasks of the mean over the attempts free of those causes; None without attempts."""
    return scorer(tasks)(without)


def scorer(tasks: Tasks) -> Callable[[Collection[str]], float | None]:
    """The same for many sets of causes: only the tasks that bear a cause are worked out again."""
    groups = [group for group in tasks if group]
    plain = [_mean(group) for group in groups]
    bearing: dict[str, list[int]] = {}
    for place, group in enumerate(groups):
        for cause in {cause for tried in group for cause in tried.causes}:
            bearing.setdefault(cause, []).append(place)

    def without(causes: Collection[str]) -> float | None:
        gone, means = set(causes), plain.copy()
        for place in {place for cause in gone for place in bearing.get(cause, ())}:
            kept = [tried for tried in groups[place] if gone.isdisjoint(tried.causes)]
            means[place] = _mean(kept or groups[place])
        return math.fsum(means) / len(means) if means else None

    return without


def _mean(tried: Sequence[Tried]) -> float:
    return math.fsum(one.reward for one in tried) / len(tried)


def best(tasks: Tasks) -> float | None:
    """The mean over tasks of the best attempt: what an oracle would pick."""
    tops = [max(tried.reward for tried in group) for group in tasks if group]
    return math.fsum(tops) / len(tops) if tops else None
