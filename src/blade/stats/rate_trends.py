"""Whether a pass rate rises or falls with a value of the tasks, and its thirds: of tasks in the order of that value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import erfc, fsum, sqrt

from blade.frozen import frozen
from blade.stats.health import order_trend

COVERS = 0.8
"""A field explains a trend where it has a level for so large a share of the tasks."""
MOST_LEVELS = 0.2
"""A field with more levels, in parts of the tasks, names single tasks."""
STILL_SURE = 0.05
APART = 0.15
"""The pass rates of the first and the last third lie so far apart."""
UNEVEN = 0.5
"""Where tasks of one value stay together, a third is at least so much of one."""

Levels = Mapping[str, Mapping[str, str]]
"""Task → field → its level there."""


@frozen
class RateTrend:
    """How pass rates follow a value: rank correlation, p, runs with the same direction, and where the thirds begin."""

    correlation: float
    p: float
    alike: int
    bounds: tuple[tuple[int, int], ...]
    thirds: tuple[float, ...]

    def is_apart(self) -> bool:
        """Whether the second third lies between the others, and these lie far apart."""
        first, middle, last = self.thirds
        falls = self.correlation < 0
        return abs(first - last) >= APART and (first >= middle >= last if falls else first <= middle <= last)


def rate_trend(values: Sequence[float], by_run: Sequence[Sequence[float]]) -> RateTrend | None:
    """The trend of the mean over runs, for tasks in the order of their values; None where nothing can be told."""
    means = mean_rates(by_run)
    trend = order_trend(means, values)
    bounds = _thirds(values)
    if trend is None or bounds is None:
        return None
    of_runs = [order_trend(rates, values) for rates in by_run]
    alike = sum(one is not None and one.correlation * trend.correlation > 0 for one in of_runs)
    return RateTrend(trend.correlation, trend.p, alike, bounds, third_rates(means, bounds))


def mean_rates(by_run: Sequence[Sequence[float]]) -> list[float]:
    """Of every task the mean of its pass rates."""
    return [fsum(rates) / len(rates) for rates in zip(*by_run, strict=True)]


def third_rates(means: Sequence[float], bounds: Iterable[tuple[int, int]]) -> tuple[float, ...]:
    return tuple(fsum(means[start:end]) / (end - start) for start, end in bounds)


def _thirds(values: Sequence[float]) -> tuple[tuple[int, int], ...] | None:
    """Where the thirds begin and end, equal values together; None where so many are equal that one third is small."""
    tasks = len(values)
    third = tasks // 3
    first, second = _nearest_step(values, third), _nearest_step(values, tasks - third)
    bounds = ((0, first), (first, second), (second, tasks))
    return bounds if min(end - start for start, end in bounds) >= max(UNEVEN * third, 1) else None


def _nearest_step(values: Sequence[float], place: int) -> int:
    """The place nearest to one at which another value begins, the earlier of two; 0 where there is none."""
    steps = (at for at in range(1, len(values)) if values[at] != values[at - 1])
    return min(steps, key=lambda at: (abs(at - place), at), default=0)


def is_explained(rates: Mapping[str, float], values: Mapping[str, float], levels: Levels) -> bool:
    """Whether a field of the tasks tells as much: inside its levels the pass rate does not follow the value.

    The tasks stand in the order of their values.
    """
    for field in sorted({field for label in rates for field in levels.get(label, ())}):
        groups: dict[str, list[str]] = {}
        for label in rates:
            if (level := levels.get(label, {}).get(field)) is not None:
                groups.setdefault(level, []).append(label)
        levelled = sum(map(len, groups.values()))
        comparable = 1 < len(groups) <= MOST_LEVELS * len(rates) and levelled >= COVERS * len(rates)
        samples = [([rates[label] for label in group], [values[label] for label in group]) for group in groups.values()]
        if comparable and _p_within(samples) > STILL_SURE:
            return True
    return False


def _p_within(samples: Sequence[tuple[Sequence[float], Sequence[float]]]) -> float:
    """The chance of a trend as clear as that of all groups together, each in its own order; 1 where none can tell."""
    trends = [(len(rates), order_trend(rates, values)) for rates, values in samples]
    with_trend = [(tasks, trend.correlation) for tasks, trend in trends if trend is not None]
    if not with_trend:
        return 1.0
    # Each correlation has a variance of 1 / (n - 1), and counts as much as its group has tasks.
    weighted = fsum(tasks * correlation for tasks, correlation in with_trend)
    return erfc(abs(weighted) / sqrt(2 * fsum(tasks**2 / (tasks - 1) for tasks, _ in with_trend)))
