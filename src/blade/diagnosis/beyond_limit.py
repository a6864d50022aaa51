"""What a limit costs a run against one without it: the tasks on which the other run writes more than the limit allows.

A limit that cuts hard tasks looks harmless, as these fail anyway, or deadly, as what it cuts fails. The other run
shows which tasks need more, and what may be passed there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from statistics import mean
from typing import NamedTuple

FEWEST_TASKS = 5
Used = tuple[str, bool, float | None]
"""The task of a rollout, whether it passes, and what it uses."""
MOSTLY = 0.7


class BeyondLimit(NamedTuple):
    """Passes and rollouts of both runs at the tasks that need more than the limit, and at all others of both."""

    run: str
    tasks: int
    own: tuple[int, int]
    other: tuple[int, int]
    other_tasks: int
    own_elsewhere: tuple[int, int]
    other_elsewhere: tuple[int, int]

    @property
    def holds_the_gap(self) -> bool:
        """Whether the run passes less than the other one, and most of that lies at these tasks."""
        here, elsewhere = _gap(self.own, self.other), _gap(self.own_elsewhere, self.other_elsewhere)
        return here + elsewhere > 0 and here >= MOSTLY * (here + elsewhere)


def beyond_limit(run: str, own: Sequence[Used], other: Sequence[Used], limit: float) -> BeyondLimit | None:
    """The tasks where the rollouts of another run, named `run`, use more than the limit on average; None for few."""
    own_tasks, other_tasks = _by_task(own), _by_task(other)
    needs_more: dict[str, bool] = {}
    for task in own_tasks.keys() & other_tasks.keys():
        used = [value for _, value in other_tasks[task] if value is not None]
        if used:
            needs_more[task] = mean(used) > limit
    inside, outside = ([task for task, needs in needs_more.items() if needs is side] for side in (True, False))
    if min(len(inside), len(outside)) < FEWEST_TASKS:
        return None
    counts = [_passes(tasks, keys) for keys in (inside, outside) for tasks in (own_tasks, other_tasks)]
    return BeyondLimit(run, len(inside), counts[0], counts[1], len(outside), counts[2], counts[3])


def _by_task(rollouts: Sequence[Used]) -> dict[str, list[tuple[bool, float | None]]]:
    tasks: defaultdict[str, list[tuple[bool, float | None]]] = defaultdict(list)
    for task, passed, used in rollouts:
        tasks[task].append((passed, used))
    return dict(tasks)


def _passes(tasks: dict[str, list[tuple[bool, float | None]]], keys: Sequence[str]) -> tuple[int, int]:
    outcomes = [passed for key in keys for passed, _ in tasks[key]]
    return sum(outcomes), len(outcomes)


def _gap(own: tuple[int, int], other: tuple[int, int]) -> float:
    """How many more of as many rollouts as its own the other run would pass."""
    return own[1] * (other[0] / other[1] - own[0] / own[1]) if own[1] and other[1] else 0.0
