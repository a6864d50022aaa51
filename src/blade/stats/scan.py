"""A stretch of rows unlike the rest: windows of a sequence of zeros and ones, in order of time or of the file.

An outage is such a stretch. Difficulty may follow the order of tasks: flag what does not depend on the task.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from blade.frozen import frozen
from blade.stats.scipy_functions import special

Side = Literal["higher", "lower", "either"]
Flags = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]

SHORTEST = 3
"""Windows of fewer rows are not looked at."""

ALL_LENGTHS = 64
"""Up to this length windows of every length are tried; above, each is 10 % longer than the one before."""


@frozen
class OutageWindow:
    start: int
    end: int  # the first row after it
    inside: float  # rate
    outside: float
    llr: float  # of one rate inside and another outside, against one for all
    p: float  # chance of a window as good anywhere, the rows being in random order


def scan_window(
    flags: Sequence[bool] | Sequence[int], *, side: Side = "either", seed: int = 0, permutations: int = 999
) -> OutageWindow | None:
    """The window whose rate differs most from the rest, with p from random orders: (1 + hits) / (1 + permutations).

    For one length the best window has the most or the fewest ones, so only those are followed. Of equal windows the
    shortest, then the first, is taken. None below six rows, or if all rows are equal.
    """
    row = np.asarray(flags, dtype=np.int32)
    n, ones = len(row), int(row.sum())
    if n < 2 * SHORTEST or ones in {0, n}:
        return None
    lengths = _lengths(n)
    tables = [_llr_table(n, ones, length, side) for length in lengths]
    sums = _cumulated(row[None, :])
    best = [float(table[_counts(sums, length)[0]].max()) for length, table in zip(lengths, tables, strict=True)]
    llr = max(best)
    length, table = next((s, t) for s, t, top in zip(lengths, tables, best, strict=True) if top == llr)
    counts = _counts(sums, length)[0]
    start = int(np.argmax(table[counts]))
    errors_inside = int(counts[start])
    hits = _hits(n, ones, lengths, tables, llr, np.random.default_rng(seed), permutations) if llr > 0 else permutations
    return OutageWindow(
        start=start,
        end=start + length,
        inside=errors_inside / length,
        outside=(ones - errors_inside) / (n - length),
        llr=llr,
        p=(1 + hits) / (1 + permutations),
    )


def _lengths(n: int) -> list[int]:
    lengths = list(range(SHORTEST, min(n, ALL_LENGTHS + 1)))
    while lengths[-1] * 1.1 < n - 1:
        lengths.append(math.ceil(lengths[-1] * 1.1))
    return lengths


def _llr_table(n: int, ones: int, length: int, side: Side) -> Floats:
    """LLR of a window for each possible number of ones in it; 0 on the wrong side of the overall rate."""
    ones_inside = np.arange(length + 1, dtype=np.float64)
    outside = ones - ones_inside
    possible = (outside >= 0) & (outside <= n - length)
    ones_outside = np.where(possible, outside, 0.0)
    log_likelihood = _bernoulli(ones_inside, length) + _bernoulli(ones_outside, n - length)
    llr = log_likelihood - float(_bernoulli(np.array([float(ones)]), n)[0])
    higher = ones_inside * n > ones * length
    lower = ones_inside * n < ones * length
    right_side = {"higher": higher, "lower": lower, "either": higher | lower}[side]
    return np.where(possible & right_side, np.maximum(llr, 0.0), 0.0)


def _bernoulli(ones: Floats, n: int) -> Floats:
    return np.asarray(special.xlogy(ones, ones / n) + special.xlogy(n - ones, (n - ones) / n))


def _cumulated(rows: Flags) -> Flags:
    return np.concatenate((np.zeros((len(rows), 1), np.int32), np.cumsum(rows, axis=1, dtype=np.int32)), axis=1)


def _counts(sums: Flags, length: int) -> Flags:
    return np.asarray(sums[:, length:] - sums[:, :-length])


def _hits(
    n: int, ones: int, lengths: list[int], tables: list[Floats], llr: float, rng: np.random.Generator, times: int
) -> int:
    """Random orders with a window as good. The rarer value is dealt out, so that swapping 0 and 1 changes nothing."""
    rare = min(ones, n - ones)
    deck = np.repeat(np.array([1, 0], dtype=np.int64), [rare, n - rare])  # the size that is shuffled fastest
    batch, hits = max(1, 1_000_000 // n), 0
    limits = [_count_limits(n, ones, length, table, llr) for length, table in zip(lengths, tables, strict=True)]
    for start in range(0, times, batch):
        dealt = rng.permuted(np.tile(deck, (min(batch, times - start), 1)), axis=1)
        hits += int(_reaching(_cumulated(dealt if rare == ones else 1 - dealt), lengths, limits).sum())
    return hits


def _count_limits(n: int, ones: int, length: int, table: Floats, llr: float) -> tuple[int, int]:
    """The most ones that a window may have, and the fewest that it must, to be as good: further out is better yet."""
    good = np.flatnonzero(table >= llr)
    low_counts, high_counts = good[good * n < ones * length], good[good * n >= ones * length]
    return int(low_counts.max(initial=-1)), int(high_counts.min(initial=n + 1))


def _reaching(sums: Flags, lengths: list[int], limits: list[tuple[int, int]]) -> npt.NDArray[np.bool_]:
    """Which orders have a window as good.

    A longer window never has fewer ones, so the ends of a span of lengths tell whether any between can be as good;
    only where one can is the span halved.
    """
    lowest, highest = max(low for low, _ in limits), min(high for _, high in limits)
    able = np.zeros(len(sums), dtype=np.bool_)
    if lowest >= 0:
        able |= _counts(sums, lengths[0]).min(axis=1) <= lowest
    if highest <= lengths[-1]:
        able |= _counts(sums, lengths[-1]).max(axis=1) >= highest
    places = np.flatnonzero(able)
    if len(lengths) == 1 or not len(places):
        return able
    half, sums_there = len(lengths) // 2, sums if len(places) == len(sums) else sums[places]
    short = _reaching(sums_there, lengths[:half], limits[:half])
    able[places] = short
    if not short.all():
        able[places[~short]] = _reaching(sums_there[~short], lengths[half:], limits[half:])
    return able
