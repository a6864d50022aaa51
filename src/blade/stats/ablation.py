"""What a score would be over the least affected attempts of each task: a ceiling of what a repair could bring.

Each task keeps its attempts free of the causes in question, or all of them if none is free; ties are averaged, never
the best taken, and no task is dropped. It rises with the number of attempts, and ceilings do not add up.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tried:
    """One attempt: its reward, and the causes whose signs it bears, whether it passed or not."""

    reward: float
    causes: Collection[str] = ()


Tasks = Sequence[Sequence[Tried]]


def score(tasks: Tasks, without: Collection[str] = ()) -> float | None:
    """The mean over tasks of the mean over the attempts free of those causes; None without attempts."""
    gone = set(without)
    means = []
    for group in tasks:
        kept = [tried for tried in group if not gone.intersection(tried.causes)] or group
        if kept:
            means.append(math.fsum(tried.reward for tried in kept) / len(kept))
    return math.fsum(means) / len(means) if means else None


def best(tasks: Tasks) -> float | None:
    """The mean over tasks of the best attempt: what an oracle would pick."""
    tops = [max(tried.reward for tried in group) for group in tasks if group]
    return math.fsum(tops) / len(tops) if tops else None
