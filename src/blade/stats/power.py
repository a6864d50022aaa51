"""What a comparison can see, and how many rows or tasks it would take.

Two runs, A and B, on the same T tasks. `within` = (W_A, W_B) are their variances inside a task, `repeats` = (n_A, n_B)
their rows per task, and `omega2` is the variance over tasks of the true changes: 0 if these very tasks are the target.
An omega2 below 0, as an unbiased estimate may be, counts as 0. For what one run can promise about a later comparison of
the same design, give its own W and n twice and leave omega2 at 0.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from blade.stats.scipy_functions import special

if TYPE_CHECKING:
    from collections.abc import Sequence


def change_se(tasks: int, within: tuple[float, float], repeats: tuple[float, float], omega2: float = 0.0) -> float:
    """Standard error of a mean change: sqrt((omega2 + W_A/n_A + W_B/n_B) / T); inf without tasks or rows."""
    if tasks < 1 or min(repeats) <= 0:
        return math.inf
    return math.sqrt(_task_variance(within, repeats, omega2) / tasks)


def mde(
    tasks: int,
    within: tuple[float, float],
    repeats: tuple[float, float],
    omega2: float = 0.0,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
) -> float:
    """Smallest change that would be seen with this power: (z_{1-alpha/2} + z_power) SE; inf without tasks or rows."""
    return _reach(alpha, power) * change_se(tasks, within, repeats, omega2)


def repeats_needed(
    delta: float,
    tasks: int,
    within: tuple[float, float],
    omega2: float = 0.0,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
) -> float:
    """Rows per task and run to see a change of delta: (W_A + W_B) / (T (delta / reach)^2 - omega2), rounded up.

    inf where the lower part is not above 0: more repeats cannot help, only more tasks.
    """
    room = tasks * (delta / _reach(alpha, power)) ** 2 - max(omega2, 0.0)
    return _rounded_up(sum(within) / room) if room > 0 else math.inf


def tasks_needed(
    delta: float,
    within: tuple[float, float],
    repeats: tuple[float, float],
    omega2: float = 0.0,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
) -> float:
    """Tasks to see a change of delta: (omega2 + W_A/n_A + W_B/n_B) (reach / delta)^2, rounded up; inf for delta = 0."""
    if delta == 0 or min(repeats) <= 0:
        return math.inf
    ratio = _reach(alpha, power) / delta
    needed = _task_variance(within, repeats, omega2) * ratio * ratio  # a power would raise where a product is inf
    return _rounded_up(needed) if math.isfinite(needed) else math.inf


def true_change_variance(changes: Sequence[float], noise: Sequence[float]) -> float | None:
    """omega2 from the tasks' observed changes d and their noise w_A/n_A + w_B/n_B: var(d, ddof=1) - mean noise.

    Unbiased, hence possibly below 0; None below two tasks.
    """
    if len(changes) != len(noise):
        raise ValueError(f"{len(changes)} changes, but noise for {len(noise)} tasks")
    if len(changes) < 2:
        return None
    mean = math.fsum(changes) / len(changes)
    variance = math.fsum((d - mean) ** 2 for d in changes) / (len(changes) - 1)
    return variance - math.fsum(noise) / len(noise)


def _task_variance(within: tuple[float, float], repeats: tuple[float, float], omega2: float) -> float:
    return max(omega2, 0.0) + within[0] / repeats[0] + within[1] / repeats[1]


def _reach(alpha: float, power: float) -> float:
    """How many standard errors away a change must be: 2.8016 at 5 % and 80 %."""
    return float(special.ndtri(1.0 - alpha / 2.0) + special.ndtri(power))


def _rounded_up(number: float) -> int:
    """Rounded up, to 1 at least; what exceeds a whole number by rounding error only is that number."""
    return max(1, math.ceil(number * (1.0 - 1e-12)))
