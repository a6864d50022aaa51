"""How sure a part is: t over tasks for what happened inside them, resampled tasks for which tasks there were."""

from __future__ import annotations

import math

import numpy as np

from blade.stats.intervals import t_interval, unanimous_interval
from blade.stats.ledger.composition import Composition, total
from blade.stats.ledger.rows import Floats, LedgerPair
from blade.stats.scipy_functions import special

Span = tuple[float, float]


def task_error(weighted: Floats) -> float | None:
    """SE of a sum over common tasks of weighted values x: sd(|C| x) / sqrt(|C|). None below two tasks."""
    count = len(weighted)
    if count < 2:
        return None
    mean = total(weighted) / count
    spread = total((weighted - mean) ** 2) / (count - 1)
    return math.sqrt(spread * count) if spread > (1e-12 * mean) ** 2 else 0.0


def task_interval(weighted: Floats, extra: float = 0.0, level: float = 0.95) -> Span | None:
    """Interval of the sum by t, |C| - 1 degrees of freedom; `extra` is a variance that tasks share. None below two.

    Where all tasks have one and the same value other than 0, the number of tasks says how many others may differ.
    """
    error = task_error(weighted)
    if error is None:
        return None
    if error == extra == 0.0 and weighted.any():
        return unanimous_interval(total(weighted), len(weighted), 1.0, level)
    return t_interval(total(weighted), math.sqrt(error**2 + extra), len(weighted) - 1, level)


def task_p(weighted: Floats, extra: float = 0.0) -> float | None:
    """Two-sided p of the sum being 0; None below two tasks. One value in all: 1 if it is 0, else a sign test."""
    error, points = task_error(weighted), total(weighted)
    if error is None:
        return None
    error = math.sqrt(error**2 + extra)
    if error == 0.0:
        return 1.0 if points == 0.0 else 2.0 * 0.5 ** len(weighted)
    return float(2.0 * special.stdtr(len(weighted) - 1, -abs(points) / error))


def hull(*spans: Span | None) -> Span | None:
    """The smallest interval that holds all; None if one is not known."""
    known_spans = [span for span in spans if span is not None]
    if len(known_spans) < len(spans):
        return None
    return min(low for low, _ in known_spans), max(high for _, high in known_spans)


def resampled(
    pair: LedgerPair, composition: Composition, contributions: Floats, draws: int, seed: int
) -> Floats | None:
    """Parts of `draws` resamples of the union of tasks, [draw, composition labels + columns of `contributions`].

    `contributions` [task, part] is the change inside each common task before weights. Weights and common means are
    taken anew in each resample; one without common tasks is left out. Runs that mirror each other are resampled in both
    orders of their tasks: what `removed` gets is what `added` gets, turned round. None where there are fewer than two
    tasks or none in common.
    """
    count = len(pair.tasks)
    if count < 2 or not composition.common.any():
        return None
    task_weights = (
        np.random.default_rng(seed).multinomial(count, np.full(count, 1.0 / count), size=draws).astype(np.float64)
    )
    return np.vstack(
        [_parts(task_weights[:, np.argsort(order)], pair, composition, contributions) for order in pair.orders]
    )


def _parts(task_weights: Floats, pair: LedgerPair, composition: Composition, contributions: Floats) -> Floats:
    """The parts of each resample; `task_weights` says how often it holds each task."""
    sides = [(composition.weight_base, pair.base.mean), (composition.weight_candidate, pair.candidate.mean)]
    shared = [task_weights @ (w * composition.common) for w, _ in sides]
    task_weights = task_weights[(shared[0] > 0) & (shared[1] > 0)]
    middle = (pair.base.mean + pair.candidate.mean) / 2.0
    lacking, weighed, common_parts = [], [], []
    for w, mean in sides:
        common_weight = w * composition.common
        mass = task_weights @ common_weight
        only = _by_column(task_weights, w[:, None] * composition.label)
        worth = _by_column(task_weights, (w * mean)[:, None] * composition.label)
        lacking.append(
            (worth - (task_weights @ (common_weight * mean) / mass)[:, None] * only) / (task_weights @ w)[:, None]
        )
        weighed.append(task_weights @ (common_weight * middle) / mass)
        common_parts.append((task_weights @ (common_weight[:, None] * contributions)) / mass[:, None])
    parts = lacking[1] - lacking[0]
    parts[:, -1] += weighed[1] - weighed[0]
    return np.hstack([parts, (common_parts[0] + common_parts[1]) / 2.0])


def _by_column(task_weights: Floats, values: Floats) -> Floats:
    """`drawn @ values`, one column at a time.

    A product of matrices may round a column by where it stands; `added` and `removed` change places as the runs do.
    """
    return np.column_stack([task_weights @ np.ascontiguousarray(column) for column in values.T])


def resampled_interval(points: float, replicates: Floats | None, tasks: int, level: float = 0.95) -> Span | None:
    """Points plus and minus t times the sd of resamples: the same for either order of the runs."""
    if replicates is None or len(replicates) < 2:
        return None
    mean = total(replicates) / len(replicates)
    spread = total((replicates - mean) ** 2) / (len(replicates) - 1)
    return t_interval(points, math.sqrt(spread), tasks - 1, level)
