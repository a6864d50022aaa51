"""What goes with passing inside a task: features of rows, contrasted between the passes and the fails of each task.

Only tasks that both pass and fail say anything, and rows are compared with rows of their own task only: otherwise how
hard a task is would confound everything. A stratum is a task, or a task of one run if several runs are pooled.
"""

from __future__ import annotations

import math
import zlib
from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

import numpy as np

from blade.frozen import frozen
from blade.stats.multiple import benjamini_hochberg
from blade.stats.quantiles import quantiles
from blade.stats.rank_contrast import Stratum, auc_parts, pooled_auc, rank_p
from blade.stats.strata import OddsRatio, Table, exact_p, odds_ratio, risk_difference, risk_parts

Feature: TypeAlias = Sequence[bool | None] | Sequence[float | None]
"""Of each row: true or false, or a number; None or NaN where it is not known."""

FEWEST_TASKS = 8
FEWEST_ROWS = 30
"""Mixed tasks and rows in them that a feature needs to be tested; below, it is described only."""

NAMED = 0.10  # false discovery rate
DRAWS = 2000


@frozen
class FeatureContrast:
    feature: str
    kind: Literal["binary", "numeric"]
    tasks: int  # mixed tasks, among the rows where the feature is known
    rows: int  # in those tasks
    effect: float | None  # binary: risk difference; numeric: pooled AUC - 1/2. None where no task's rows differ in it
    interval: tuple[float, float] | None  # 95 % of the effect, by bootstrap over tasks
    odds: OddsRatio | None  # binary features only
    p: float | None  # None if described only
    q: float | None  # over all features tested
    named: bool


@frozen
class Contrasts:
    features: tuple[FeatureContrast, ...]  # sorted by p, those described only last, then by name
    tested: int


def contrast(
    tasks: Sequence[Hashable],
    passed: Sequence[bool],
    features: Mapping[str, Feature],
    *,
    seed: int = 0,
    only_tested: bool = False,
) -> Contrasts:
    """Every feature of the rows against whether they passed, and the false discovery rate over those tested.

    p is exact for binary features and by 10,000 shuffles within tasks for numbers. No row's place matters, and no
    feature's result depends on which others are there, but for q. `only_tested` leaves out intervals and odds.
    """
    contrasts = [_contrast_of(name, tasks, passed, features[name], seed, only_tested) for name in features]
    tested = [feature_contrast.p for feature_contrast in contrasts if feature_contrast.p is not None]
    rates = iter(benjamini_hochberg(tested))
    with_q = [
        feature_contrast if feature_contrast.p is None else _with_q(feature_contrast, next(rates))
        for feature_contrast in contrasts
    ]
    ordered = sorted(
        with_q,
        key=lambda feature_contrast: (feature_contrast.p is None, feature_contrast.p or 0.0, feature_contrast.feature),
    )
    return Contrasts(tuple(ordered), len(tested))


def bootstrap_ratio(
    parts: Sequence[tuple[float, float]], *, seed: int = 0, level: float = 0.95
) -> tuple[float, float] | None:
    """Percentile interval of sum above / sum below over tasks drawn with replacement, 2,000 times.

    Tasks with equal parts are drawn together, which is the same. Where all upper parts change sign, so does the
    interval. None if there are fewer than two tasks, or nothing below the line.
    """
    if len(parts) < 2 or not any(below for _, below in parts):
        return None
    plain, mirrored = sorted(parts), sorted((-above, below) for above, below in parts)
    flip = mirrored > plain
    cells = Counter(mirrored if flip else plain)
    above, below = np.array(list(cells)).T
    share = np.array(list(cells.values())) / len(parts)
    weights = np.random.default_rng(seed).multinomial(len(parts), share / share.sum(), size=DRAWS)
    top, bottom = weights @ above, weights @ below
    ratios = top[bottom > 0] / bottom[bottom > 0]
    tail = (1.0 - level) / 2.0
    low, high = quantiles(ratios, [tail, 1.0 - tail])
    return (-high, -low) if flip else (low, high)


def tables(tasks: Sequence[Hashable], passed: Sequence[bool], feature: Sequence[bool | None]) -> list[Table]:
    """The table of each mixed task, from the rows where the feature is known."""
    cells = Counter(zip(tasks, feature, passed, strict=True))
    counts: dict[Hashable, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for (task, has, good), count in cells.items():
        if has is not None:
            counts[task][(0 if has else 2) + (0 if good else 1)] += count
    return [(a, b, c, d) for a, b, c, d in counts.values() if a + c and b + d]


def strata(tasks: Sequence[Hashable], passed: Sequence[bool], feature: Sequence[float | None]) -> list[Stratum]:
    """The numbers of passes and fails of each mixed task, from the rows where the number is known."""
    numbers: dict[Hashable, tuple[list[float], list[float]]] = defaultdict(lambda: ([], []))
    for task, good, number in zip(tasks, passed, feature, strict=True):
        if number is not None and not math.isnan(number):
            numbers[task][0 if good else 1].append(float(number))
    return [sides for sides in numbers.values() if sides[0] and sides[1]]


def _contrast_of(
    name: str,
    tasks: Sequence[Hashable],
    passed: Sequence[bool],
    feature: Feature,
    seed: int,
    only_tested: bool,
) -> FeatureContrast:
    feature_seed = zlib.crc32(name.encode()) ^ seed
    kinds = set(map(type, feature))
    if kinds <= {type(None), bool, np.bool_}:
        known_values = [None if value is None else bool(value) for value in feature]
        return _binary(name, tables(tasks, passed, known_values), feature_seed, only_tested)
    return _numeric(name, strata(tasks, passed, feature), feature_seed, only_tested)


def _binary(name: str, strata_tables: list[Table], seed: int, only_tested: bool) -> FeatureContrast:
    rows, effect = sum(map(sum, strata_tables)), risk_difference(strata_tables)
    return FeatureContrast(
        feature=name,
        kind="binary",
        tasks=len(strata_tables),
        rows=rows,
        effect=effect,
        interval=None if only_tested else bootstrap_ratio([risk_parts(table) for table in strata_tables], seed=seed),
        odds=None if only_tested else odds_ratio(strata_tables),
        p=exact_p(strata_tables) if _enough(len(strata_tables), rows) else None,
        q=None,
        named=False,
    )


def _numeric(name: str, strata_numbers: list[Stratum], seed: int, only_tested: bool) -> FeatureContrast:
    rows, auc = (
        sum(len(with_it) + len(without_it) for with_it, without_it in strata_numbers),
        pooled_auc(strata_numbers),
    )
    differs = any(len({*with_it, *without_it}) > 1 for with_it, without_it in strata_numbers)
    parts = [(above - below / 2.0, below) for above, below in map(auc_parts, strata_numbers)]
    return FeatureContrast(
        feature=name,
        kind="numeric",
        tasks=len(strata_numbers),
        rows=rows,
        effect=auc - 0.5 if auc is not None and differs else None,
        interval=bootstrap_ratio(parts, seed=seed) if differs and not only_tested else None,
        odds=None,
        p=rank_p(strata_numbers, seed=seed) if _enough(len(strata_numbers), rows) else None,
        q=None,
        named=False,
    )


def _enough(tasks: int, rows: int) -> bool:
    return tasks >= FEWEST_TASKS and rows >= FEWEST_ROWS


def _with_q(feature_contrast: FeatureContrast, q: float) -> FeatureContrast:
    return replace(feature_contrast, q=q, named=q <= NAMED)
