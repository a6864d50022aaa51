"""Two runs whose labels mean nothing: every way to deal a task's pooled scores out to the two runs is as likely.

A pair is one task's scores in both runs. All that is found here is the same with the two runs swapped, and with the
tasks or the rows in any other order: `unordered` puts the pairs into one canonical form first.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import combinations
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from blade.stats.exact_sums import Law, upper_tail, whole_steps

Scores: TypeAlias = Sequence[Sequence[float]]
Pair: TypeAlias = tuple[tuple[float, ...], tuple[float, ...]]
Floats = npt.NDArray[np.float64]

DRAWS = 10_000
MOST_DEALS = 2**14
"""A task's deals are all listed up to this many; beyond, this many are drawn for tasks of one shape."""
SMALL = 2**18
"""Multiplications in one product of matrices."""
MOST_WORK = 3e8
"""Additions that the exact law may take."""
MOST_KINDS = 2000
"""Different pools of scores that the exact law may have."""


def common_pairs(a: Scores, b: Scores) -> list[Pair]:
    """Sorted scores per task, of the tasks that have rows in both runs."""
    if len(a) != len(b):
        raise ValueError(f"{len(a)} tasks in one run, {len(b)} in the other")
    sorted_scores: dict[tuple[float, ...], tuple[float, ...]] = {}
    pairs = [
        (_ordered(x, sorted_scores), _ordered(y, sorted_scores)) for x, y in zip(a, b, strict=True) if len(x) and len(y)
    ]
    if not all(math.isfinite(x[0]) and math.isfinite(x[-1]) for x in sorted_scores.values()):
        raise ValueError("a score is not a finite number")
    return pairs


def unordered(pairs: Sequence[Pair]) -> list[Pair]:
    """The pairs sorted, the runs in whichever order sorts first."""
    return min(sorted(pairs), sorted((y, x) for x, y in pairs))


def exact_change_p(pairs: Sequence[Pair]) -> float | None:
    """P(|mean change| at least as large as seen) over all deals, or None where that is too long to work out."""
    laws_and_changes = _laws(pairs)
    if laws_and_changes is None:
        return None
    laws, observed = laws_and_changes
    total = abs(sum(observed))
    if total == 0:
        return 1.0
    above = upper_tail(laws, total)
    below = upper_tail([Law(-law.values, law.chances, law.copies) for law in laws], total)
    return None if above is None or below is None else min(above + below, 1.0)


def exact_churn_p(pairs: Sequence[Pair]) -> float | None:
    """P(sum of squared changes at least as large as seen) over all deals, or None where that is too long."""
    laws_and_changes = _laws(pairs)
    if laws_and_changes is None:
        return None
    laws, observed = laws_and_changes
    return upper_tail([Law(law.values**2, law.chances, law.copies) for law in laws], sum(x * x for x in observed))


def drawn_p(pairs: Sequence[Pair], seed: int) -> tuple[float, float]:
    """Both p-values from 10,000 deals, (1 + hits) / 10,001: of the mean change, and of the squared changes.

    The draws are those of the pairs as they stand: give them in canonical form.
    """
    generator = np.random.default_rng(seed)
    shapes: defaultdict[tuple[int, int], list[Pair]] = defaultdict(list)
    for x, y in pairs:
        if min(x[0], y[0]) < max(x[-1], y[-1]):  # else no deal changes anything
            shapes[len(x), len(y)].append((x, y))
    changes, squares, observed = np.zeros(DRAWS), np.zeros(DRAWS), []
    for (first, second), group in sorted(shapes.items()):
        deals = _deals(first, second, generator)
        for start in range(0, len(group), 32):
            pools = np.array([x + y for x, y in group[start : start + 32]])
            centred = (pools - pools.mean(axis=1, keepdims=True)) * (1.0 / first + 1.0 / second)
            observed += centred[:, first:].sum(axis=1).tolist()
            possible = _product(generator.permuted(centred, axis=1), deals)
            deals_drawn = np.take_along_axis(possible, generator.integers(0, len(deals), (len(pools), DRAWS)), axis=1)
            changes += deals_drawn.sum(axis=0)
            squares += (deals_drawn**2).sum(axis=0)
    total, churn = abs(math.fsum(observed)), math.fsum(d * d for d in observed)
    slack = 1e-12 * max(1.0, max((abs(v) for pair in pairs for x in pair for v in x), default=0.0))
    hits = int(np.count_nonzero(np.abs(changes) >= total - slack * len(pairs)))
    larger = int(np.count_nonzero(squares >= churn * (1.0 - 1e-12)))
    return (1 + hits) / (DRAWS + 1), (1 + larger) / (DRAWS + 1)


def _product(pools: Floats, deals: Floats) -> Floats:
    """Every pool dealt out in every way, in pieces too small to be divided among threads that wait for each other."""
    rows = max(1, SMALL // pools.size)
    pieces = [pools @ deals[start : start + rows].T for start in range(0, len(deals), rows)]
    return np.concatenate(pieces, axis=1)


def _ordered(scores: Sequence[float], sorted_scores: dict[tuple[float, ...], tuple[float, ...]]) -> tuple[float, ...]:
    """The scores sorted; what was sorted before is known, so that equal tasks are one and the same object."""
    key = tuple(scores)
    if key not in sorted_scores:
        sorted_scores[key] = tuple(sorted(float(score) + 0.0 for score in key))
    return sorted_scores[key]


def _laws(pairs: Sequence[Pair]) -> tuple[list[Law], list[int]] | None:
    """Each kind of task's change under relabelling, and every task's change as seen, as multiples of one step.

    A task's change is (N S - n P) / (m n): S the sum of the second run's n scores, P the sum of all N = m + n. The
    least common multiple of all m n makes it whole.
    """
    alike = Counter(pairs)
    steps = whole_steps([value for pair in alike for x in pair for value in x])
    shared = math.lcm(*{len(x) * len(y) for x, y in alike})
    if steps is None or shared > 10**6:
        return None
    kinds: Counter[tuple[int, tuple[int, ...]]] = Counter()
    observed: list[int] = []
    for (x, y), copies in alike.items():
        first, second = [steps[value] for value in x], [steps[value] for value in y]
        pool = tuple(sorted(first + second))
        kinds[len(y), tuple(value - pool[0] for value in pool)] += copies
        weight = shared // (len(x) * len(y))
        observed += [(len(pool) * sum(second) - len(y) * sum(pool)) * weight] * copies
    if len(kinds) > MOST_KINDS or sum(_work(*kind) for kind in kinds) > MOST_WORK:
        return None
    laws = [_law(size, pool, shared, copies) for (size, pool), copies in sorted(kinds.items())]
    if max(int(np.abs(law.values).max()) for law in laws) > 2**31:  # squares must stay whole
        return None
    return laws, observed


def _work(size: int, pool: tuple[int, ...]) -> int:
    return size if pool[-1] == pool[0] or len(set(pool)) == 2 else len(pool) * size * sum(pool[-size:])


def _law(size: int, pool: tuple[int, ...], shared: int, copies: int) -> Law:
    chances = _sums(size, pool)
    possible = np.flatnonzero(chances)
    weight = shared // (size * (len(pool) - size))
    return Law((len(pool) * possible - size * sum(pool)) * weight, chances[possible], copies)


def _sums(size: int, pool: tuple[int, ...]) -> Floats:
    """P(sum = s) for `size` of the pool's numbers, drawn without putting back; they are sorted and start at 0.

    With two different numbers this is the hypergeometric law. Else each number is taken or left by the toss of a coin,
    and the law is that of the sum where `size` of them were taken.
    """
    step, count = pool[-1], len(pool)
    chances = np.zeros(sum(pool[-size:]) + 1)
    if step == 0:
        chances[0] = 1.0
    elif len(set(pool)) == 2:
        high = pool.count(step)
        combinations_count = math.comb(count, size)
        for k in range(max(0, size + high - count), min(size, high) + 1):
            chances[k * step] = math.comb(high, k) * math.comb(count - high, size - k) / combinations_count
    else:
        share = size / count
        grid = np.zeros((size + 1, len(chances)))
        grid[0, 0] = 1.0
        for value in pool:
            moved = grid[:-1, : len(chances) - value] * share
            grid *= 1.0 - share
            grid[1:, value:] += moved
        chances = grid[size] / grid[size].sum()
    return chances


def _deals(first: int, second: int, generator: np.random.Generator) -> Floats:
    """One row per deal, 1 for what the second run gets: all deals if they are few, else a sample of them."""
    count = first + second
    if math.comb(count, second) <= MOST_DEALS:
        picks = np.array(list(combinations(range(count), second)))
    else:
        picks = generator.permuted(np.tile(np.arange(count), (MOST_DEALS, 1)), axis=1)[:, :second]
    deals = np.zeros(len(picks) * count)
    deals[(picks + count * np.arange(len(picks))[:, None]).ravel()] = 1.0
    return deals.reshape(len(picks), count)
