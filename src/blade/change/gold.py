"""Keys that changed: the same task with another expected answer, or other expected actions.

Where a verifier compares what a row came to with the key (seen in the rows themselves), rows can be scored under the
other run's key, and the change of the key is taken out of the change of behaviour exactly. Where it does not show, the
tasks with another key are told apart: what changed there is taken for the key's doing.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from math import fsum

import polars as pl

from blade.change.met_keys import Work, met, works
from blade.change.pair import Pair
from blade.frozen import frozen
from blade.stats import paired

AGREES = 0.95
FEWEST_ROWS = 20
MOST_CHANGED = 0.5
"""Where more keys differ they are written otherwise, or of another benchmark."""


@frozen
class Regraded:
    """Rewards under the other run's keys; tasks whose key did not change keep theirs."""

    tasks: frozenset[str]
    rescored_a: tuple[float | None, ...]
    rescored_b: tuple[float, ...]
    p: float | None = None
    """Of the change on these tasks, where it is taken for the key's; none where rows were scored again."""


def changed_keys(pair: Pair, seed: int = 0) -> Regraded | None:
    """None where no key changed."""
    return _scored_again(pair) or _taken_together(pair, seed)


def _scored_again(pair: Pair) -> Regraded | None:
    """None where the rows do not show that the verifier compares them with keys."""
    base_works, candidate_works = works(pair.a), works(pair.b)
    left, right = _keys(pair.a, base_works), _keys(pair.b, candidate_works)
    changed = frozenset(task for task in left.keys() & right.keys() if left[task] != right[task])
    if not changed or not (_compares(pair.a, base_works) and _compares(pair.b, candidate_works)):
        return None
    return Regraded(
        changed, _scores(pair.a, base_works, right, changed), _scores(pair.b, candidate_works, left, changed)
    )


def _keys(frame: pl.DataFrame, row_works: Sequence[Work]) -> dict[str, Hashable]:
    return {task: key for task, (_, key) in zip(frame["key"].to_list(), row_works, strict=True) if key is not None}


def _compares(frame: pl.DataFrame, row_works: Sequence[Work]) -> bool:
    """Whether a row passes just where it meets its key."""
    agreements = [
        met(work) is passed
        for work, passed in zip(row_works, frame["passed"].to_list(), strict=True)
        if work[0] is not None and work[1] is not None and passed is not None
    ]
    return len(agreements) >= FEWEST_ROWS and sum(agreements) >= AGREES * len(agreements)


def _scores(
    frame: pl.DataFrame, row_works: Sequence[Work], keys: Mapping[str, Hashable], changed: frozenset[str]
) -> tuple[float, ...]:
    rows = zip(frame["key"].to_list(), frame["reward"].to_list(), row_works, strict=True)
    return tuple(float(bool(met((work, keys[key])))) if key in changed else reward for key, reward, (work, _) in rows)


def _taken_together(pair: Pair, seed: int) -> Regraded | None:
    """The tasks with another key: what their rows scored before stands for what they would score by the old key."""
    left, right = (_hashes(frame) for frame in (pair.a, pair.b))
    common_tasks = left.keys() & right.keys()
    changed = frozenset(task for task in common_tasks if left[task] != right[task])
    if not changed or len(changed) > MOST_CHANGED * len(common_tasks):
        return None
    tasks = sorted(changed)
    before, after = rewards_of(pair.a, tasks), rewards_of(pair.b, tasks)
    means = {task: fsum(values) / len(values) for task, values in zip(tasks, before, strict=True)}
    again = [means[key] if key in changed else reward for key, reward in pair.b.select("key", "reward").rows()]
    p, _ = paired.label_permutation(before, after, seed=seed)
    return Regraded(changed, (None,) * pair.a.height, tuple(again), 1.0 if p is None else p)


def rewards_of(frame: pl.DataFrame, tasks: Sequence[str]) -> list[tuple[float, ...]]:
    """The rewards of these tasks, in their order."""
    rewards: dict[str, list[float]] = {task: [] for task in tasks}
    for task, reward in frame.select("key", "reward").rows():
        if task in rewards:
            rewards[task].append(reward)
    return [tuple(sorted(rewards[task])) for task in tasks]


def _hashes(frame: pl.DataFrame) -> dict[str, int]:
    """Task → its key, where all of its rows have the same."""
    key_counts = frame.group_by("key").agg(pl.col("gold_hash").n_unique().alias("n"), pl.col("gold_hash").first())
    return {task: value for task, keys, value in key_counts.rows() if keys == 1 and value is not None}
