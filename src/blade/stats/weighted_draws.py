"""How likely some tasks, each with a weight, lie so heavily within a part of all tasks by chance."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb


def weight_p(weights: Sequence[int], least: int, part: int, tasks: int) -> float:
    """The chance that tasks drawn at random put at least so much of their weight into a part of all tasks.

    `part` of the `tasks` belong to it; every choice of as many tasks as there are weights is as likely. Attempts at
    one task are no independent draws, which is why tasks are drawn and not rollouts.
    """
    choices: dict[tuple[int, int], int] = {(0, 0): 1}
    for weight in weights:
        extended: dict[tuple[int, int], int] = {}
        for (members, total), times in choices.items():
            for key in ((members, total), (members + 1, total + weight)):
                extended[key] = extended.get(key, 0) + times
        choices = extended
    draws = len(weights)
    every = comb(tasks, part)
    likely = sum(
        times * comb(tasks - draws, part - members)
        for (members, total), times in choices.items()
        if total >= least and 0 <= part - members <= tasks - draws
    )
    return likely / every if every else 1.0
