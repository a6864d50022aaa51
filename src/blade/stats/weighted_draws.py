"""How likely some tasks, each with a weight, lie so heavily within a part of all tasks by chance."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb


def weight_p(weights: Sequence[int], inside: int, part: int, tasks: int) -> float:
    """The chance that tasks drawn at random put at least so much of their weight into a part of all tasks.

    `part` of the `tasks` belong to it; every choice of as many tasks as there are weights is as likely. Attempts at
    one task are no independent draws, which is why tasks are drawn and not rollouts.
    """
    ways: dict[tuple[int, int], int] = {(0, 0): 1}
    for weight in weights:
        more: dict[tuple[int, int], int] = {}
        for (many, total), times in ways.items():
            for key in ((many, total), (many + 1, total + weight)):
                more[key] = more.get(key, 0) + times
        ways = more
    drawn = len(weights)
    every = comb(tasks, part)
    likely = sum(
        times * comb(tasks - drawn, part - many)
        for (many, total), times in ways.items()
        if total >= inside and 0 <= part - many <= tasks - drawn
    )
    return likely / every if every else 1.0
