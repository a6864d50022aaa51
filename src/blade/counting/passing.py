"""What a pass is: said by the user, the benchmark, binary rewards, a native boolean or a threshold. Never guessed."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence

from blade.counting.fields import Fields, names
from blade.extract.names import is_pass_flag, words
from blade.frozen import frozen

NEAR = 1e-6
TOLERANCE = 1e-9
UNIT = "unit"
BINARY = "binary rewards"
DECLARED = ("--pass-threshold", "benchmark.toml")
FULL = 1.0
FEWEST_FULL = 10
_OF_A_PASS = frozenset("pass passing passed success solved resolved".split())
_OF_A_MARK = frozenset("threshold mark cutoff minimum min".split())
FEWEST_GRADES, LOW = 5, 0.3
"""So many different rewards are graded; a pass lies above so much of their range."""
MOST_LACKING = 0.1
FULL_SHARE = 0.1
"""So many of the graded rewards must be full before a full score is what others are measured against."""


@frozen
class PassRule:
    """`threshold` is None when nothing says what a pass is; `source` says where the rule came from."""

    threshold: float | None
    source: str
    scale: str  # unit | native

    def passed(self, reward: float | None) -> bool | None:
        if self.threshold is None or reward is None:
            return None
        return reward >= self.threshold - NEAR


def pass_rule(
    rewards: Sequence[float | None],
    rows: Sequence[Fields],
    *,
    declared: float | None = None,
    benchmark: float | None = None,
) -> PassRule:
    """The first source that says what a pass is."""
    scores = [value for value in rewards if value is not None]
    scale = UNIT if all(-NEAR <= value <= 1 + NEAR for value in scores) else "native"
    if declared is not None:
        return PassRule(declared, DECLARED[0], scale)
    if benchmark is not None:
        return PassRule(float(benchmark), DECLARED[1], scale)
    if scores and all(min(abs(value), abs(value - 1)) <= NEAR for value in scores):
        return PassRule(1.0, BINARY, scale)
    field_rule = _native_boolean(rewards, rows) or _stated_threshold(scores, rows) or _telling_boolean(rewards, rows)
    if field_rule is not None:
        return PassRule(field_rule[1], f"field '{field_rule[0]}'", scale)
    return PassRule(None, "no pass threshold is declared", scale)


def common_rule(
    rules: Sequence[PassRule], scored: Callable[[], tuple[Sequence[float | None], Sequence[Fields]]]
) -> PassRule | None:
    """One rule for runs that are told apart by different ones; None where they agree, or nothing can be said of all.

    What somebody declared is left alone. Else a boolean that holds for all rows decides; else, on the scale from 0 to
    1, a run with nothing but zeros and ones says that a pass is a one.
    """
    declared = any(rule.source in DECLARED for rule in rules)
    scales = {rule.scale for rule in rules}
    if declared or len({rule.threshold for rule in rules}) < 2 or len(scales) > 1:
        return None
    rewards, rows = scored()
    flag = _native_boolean(rewards, rows) or _telling_boolean(rewards, rows)
    if flag is not None:
        return PassRule(flag[1], f"field '{flag[0]}' in all runs", *scales)
    if scales != {UNIT}:
        return None
    own_sources = {rule.source for rule in rules if rule.threshold is not None}
    return PassRule(1.0, "binary rewards in some runs", UNIT) if own_sources == {BINARY} else None


def heap_at_full(rewards: Sequence[float]) -> bool:
    """Whether graded rewards of 0 to 1 heap at 1: no pass was declared, and a full score is the one thing that is sure.

    It heaps where no other reward above 0 is as common. Rewards that only happen to reach 1 say nothing.
    """
    if not rewards or any(not -NEAR <= value <= FULL + NEAR for value in rewards):
        return False
    full = sum(value >= FULL - NEAR for value in rewards)
    partial = Counter(round(value, 6) for value in rewards if NEAR < value < FULL - NEAR)
    return full >= max(FEWEST_FULL, FULL_SHARE * len(rewards), 1 + max(partial.values(), default=0))


def _native_boolean(rewards: Sequence[float | None], rows: Sequence[Fields]) -> tuple[str, float] | None:
    """A boolean whose true rows all score above its false rows; the lowest true score is then the threshold.

    A boolean may be written as 0 and 1.
    """
    flags = (_separating(name, rewards, rows) for name in names(rows) if is_pass_flag(name))
    return next(((name, threshold) for name, threshold, _ in filter(None, flags)), None)


def _stated_threshold(scores: Sequence[float], rows: Sequence[Fields]) -> tuple[str, float] | None:
    """A field that says from which reward on a rollout passes, with one value on all rows that rewards lie around."""
    for name in filter(names_threshold, names(rows) if scores else ()):
        values = {value for row in rows if (value := row.get(name)) is not None}
        numbers = [value for value in values if isinstance(value, (int, float)) and not isinstance(value, bool)]
        if len(values) == len(numbers) == 1 and min(scores) < numbers[0] <= max(scores):
            return name, float(numbers[0])
    return None


def names_threshold(name: str) -> bool:
    """Whether a field is called what a pass asks for: `reward_pass_threshold`, `success_cutoff`."""
    have = frozenset(words(name))
    return not have.isdisjoint(_OF_A_PASS) and not have.isdisjoint(_OF_A_MARK)


def _telling_boolean(rewards: Sequence[float | None], rows: Sequence[Fields]) -> tuple[str, float] | None:
    """The boolean, whatever its name, that parts graded rewards in two far from their lowest, with many on each side.

    A flag of something else is true here and there among high and low rewards; one for any reward at all parts them at
    their lowest.
    """
    scores = sorted({round(value, 6) for value in rewards if value is not None})
    if len(scores) < FEWEST_GRADES:
        return None
    middle = scores[0] + LOW * (scores[-1] - scores[0])
    parting = [
        (name, threshold)
        for name in names(rows)
        if (separated := _separating(name, rewards, rows)) is not None
        and (threshold := separated[1]) > middle
        and separated[2] >= FEWEST_FULL
    ]
    return parting[0] if len({threshold for _, threshold in parting}) == 1 else None


def _separating(name: str, rewards: Sequence[float | None], rows: Sequence[Fields]) -> tuple[str, float, int] | None:
    """A boolean whose true rows all score above its false ones, the lowest true score, the rows of the rarer side.

    A few rows may lack it, such as those that nobody judged: a tenth at most, and none scores like a true one.
    """
    lowest_true, highest_false = math.inf, -math.inf
    sides = Counter[bool]()
    lacking = 0
    for row, reward in zip(rows, rewards, strict=True):
        value = row.get(name)
        if reward is None:
            continue
        if value is None:
            lacking += 1
        elif not isinstance(value, (bool, int, float)) or value not in {0, 1}:
            return None
        else:
            sides[bool(value)] += 1
        if value:
            lowest_true = min(lowest_true, reward)
        else:
            highest_false = max(highest_false, reward)
    if len(sides) < 2 or lowest_true <= highest_false + TOLERANCE or lacking > MOST_LACKING * sides.total():
        return None
    return name, lowest_true, min(sides.values())
