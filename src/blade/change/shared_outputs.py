"""Outputs that two runs share: the same output under another reward is the verifier's doing.

Rows are matched inside a task by the hash of what the model said and did, and in a second step by the answer that was
extracted, where a run never gives one answer of a task two rewards.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from math import fsum

import polars as pl

from blade.change.config_diff import BYSTANDERS, ConfigDiff
from blade.change.pair import Pair
from blade.frozen import frozen
from blade.model import Status

SAME = 1e-9
UNSEEN = 0.05
"""The chance that a changed verifier went unseen, up to which it counts as excluded."""

RAN = pl.col("state") != Status.INFRASTRUCTURE.value
"""Rows that infrastructure broke are judged for that, and not for what they hold."""

Key = tuple[str, Hashable]


@frozen
class SharedOutputs:
    """`pairs` attempts stand side by side, `identical` of them share an output, `reward_differs` are scored apart."""

    pairs: int
    identical: int
    reward_differs: int
    rescored_a: tuple[float | None, ...]  # per row of the base: its reward under the candidate's verifier
    rescored_b: tuple[float | None, ...]
    level: str  # output | answer | none
    flaky: int  # keys that one run itself scored in two ways
    upheld: frozenset[str] = frozenset()  # tasks with a shared output that both runs scored alike, and well

    @property
    def complete(self) -> bool:
        """Every attempt on common tasks has the same output in both runs: there is no sampling noise."""
        return self.identical == self.pairs > 0

    def excludes(self, touched: float) -> bool:
        """Whether a verifier that turned this share of the tasks with passes would have shown itself.

        If what it turned is confined to as few tasks as can be, k tasks with a shared pass that stayed a pass miss
        them all with a chance of (1 - touched)^k. Shared failures (an empty output, say) are no witness: such outputs
        fail under any verifier.
        """
        return self.complete or (1.0 - min(1.0, touched)) ** len(self.upheld) <= UNSEEN


def shared_outputs(pair: Pair) -> SharedOutputs:
    """Match by output; where nothing is shared, by extracted answer."""
    by_output = _match(pair, "output_hash", "output")
    if by_output.identical:
        return by_output
    by_answer = _match(pair, "answer", "answer")
    return by_answer if by_answer.identical else by_output


def same_runs(pair: Pair, config_diff: ConfigDiff) -> bool:
    """Whether both runs hold the same rows on their common tasks, or the same outputs, scored alike, by one setting.

    Then nothing was sampled twice, and no difference is left that other tasks could show. Two settings that give the
    same outputs are two samples all the same: short answers of two models may agree on every task at hand.
    """
    sides = [frame.filter(pl.col("key").is_in(pair.common)) for frame in (pair.a, pair.b)]
    if not pair.common or sides[0].height != sides[1].height:
        return False
    if _alike(sides, ["key", "row_hash"]):
        return True
    settings = [field.field for field in config_diff.moved if field.field not in {*BYSTANDERS, "tasks"}]
    outputs_recorded = not settings and sides[0]["output_hash"].null_count() == 0
    return outputs_recorded and _alike(sides, ["key", "output_hash", "heard_hash", "reward"])


def _alike(sides: Sequence[pl.DataFrame], columns: list[str]) -> bool:
    left, right = (side.select(columns).sort(columns, nulls_last=True) for side in sides)
    return left.equals(right)


def _match(pair: Pair, column: str, level: str) -> SharedOutputs:
    left, right = _rewards(pair.a, column), _rewards(pair.b, column)
    flaky = {key for side in (left, right) for key, values in side.items() if max(values) - min(values) > SAME}
    usable = (set(left) & set(right)) - (flaky if level == "answer" else set())
    rescored_a = tuple(_other_reward(key, usable, right) for key in _keys(pair.a, column))
    rescored_b = tuple(_other_reward(key, usable, left) for key in _keys(pair.b, column))
    weight = {key: min(len(left[key]), len(right[key])) for key in usable}
    alike = [key for key in usable - flaky if abs(_mean(left[key]) - _mean(right[key])) <= SAME]
    top = max((value for side in (left, right) for values in side.values() for value in values), default=0.0)
    differs = sum(weight[key] for key in usable - flaky if abs(_mean(left[key]) - _mean(right[key])) > SAME)
    return SharedOutputs(
        pairs=_side_by_side(pair),
        identical=sum(weight.values()),
        reward_differs=differs,
        rescored_a=rescored_a,
        rescored_b=rescored_b,
        level=level if usable else "none",
        flaky=len(flaky),
        upheld=frozenset(task for task, output in alike if left[task, output][0] >= top - SAME),
    )


def _side_by_side(pair: Pair) -> int:
    left, right = (Counter(frame.filter(RAN)["key"].to_list()) for frame in (pair.a, pair.b))
    return sum(min(left[task], right[task]) for task in left.keys() & right.keys())


def _keys(frame: pl.DataFrame, column: str) -> Iterable[Key | None]:
    heard_hashes = frame["heard_hash"].to_list() if column == "output_hash" else [None] * frame.height
    key_columns = zip(
        frame["key"].to_list(), frame[column].to_list(), heard_hashes, frame.select(RAN).to_series(), strict=True
    )
    return [None if value is None or not ran else (task, (value, also)) for task, value, also, ran in key_columns]


def _rewards(frame: pl.DataFrame, column: str) -> dict[Key, list[float]]:
    rewards: defaultdict[Key, list[float]] = defaultdict(list)
    for key, reward in zip(_keys(frame, column), frame["reward"].to_list(), strict=True):
        if key is not None:
            rewards[key].append(reward)
    return dict(rewards)


def _other_reward(key: Key | None, usable: set[Key], side: dict[Key, list[float]]) -> float | None:
    return _mean(side[key]) if key in usable and key is not None else None


def _mean(values: list[float]) -> float:
    return fsum(values) / len(values)
