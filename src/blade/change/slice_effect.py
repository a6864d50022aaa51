"""Changed behaviour that sits in one slice: clean rows that moved there and not elsewhere.

A loss in one category can be beyond doubt while the mean over all tasks is not. It counts as a change of behaviour
only if it is a change of the whole score too: the score moved the same way, and the other tasks did not move against
it. Hotter sampling, which lifts the hard tasks and lowers the easy ones, has such slices without being a loss.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum

from blade.change.scores import Scores
from blade.stats import paired
from blade.stats.slicing import find_slices

AGAINST = 0.05
"""p below which the other tasks moved the other way."""


def concentrated_p(scores: Scores, metadata: Sequence[Mapping[str, str]], seed: int) -> float | None:
    """P of the slice that stands out, adjusted for the search; 1 where none carries the change. None: no slices."""
    changes = paired.task_changes(*scores)
    search = find_slices(changes, metadata, seed=seed)
    if not search.candidates:
        return None
    if not search.named:
        return 1.0
    top = search.named[0]
    outside = [place for place in range(len(changes)) if place not in set(top.members)]
    outside_change = fsum(changes[place] for place in outside)
    if fsum(changes) * top.stats.excess <= 0.0:
        return 1.0
    p, _ = paired.label_permutation([scores[0][i] for i in outside], [scores[1][i] for i in outside], seed=seed)
    against = outside_change * top.stats.excess < 0.0 and p is not None and p < AGAINST
    return 1.0 if against else top.p_adjusted
