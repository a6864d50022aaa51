"""Keys that many tasks share and that are missed in most of these: the class is hard, not one key wrong."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

FEWEST_TASKS = 5
MOSTLY = 0.5
FAR_LESS = 0.5
"""The other tasks are answered against their keys at most so much as often."""


def hard_classes(tasks: Mapping[str, tuple[str, bool]]) -> frozenset[str]:
    """Key values whose tasks are mostly answered otherwise, and far more often than the tasks of other keys.

    `tasks` gives for each task its key and whether most answers are others. Where a whole class goes so, what most
    rollouts agree on in one of its tasks says nothing against that one key.
    """
    classes: defaultdict[str, list[bool]] = defaultdict(list)
    for key, is_missed in tasks.values():
        classes[key].append(is_missed)
    total, missed = len(tasks), sum(is_missed for _, is_missed in tasks.values())
    hard = set()
    for key, members in classes.items():
        share, other_tasks = sum(members) / len(members), total - len(members)
        elsewhere = (missed - sum(members)) / other_tasks if other_tasks else 0.0
        if len(members) >= FEWEST_TASKS and share > MOSTLY and elsewhere <= FAR_LESS * share:
            hard.add(key)
    return frozenset(hard)
