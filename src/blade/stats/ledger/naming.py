"""Which parts may be named as causes: family-wise error over the top-level parts, and facts by their size."""

from __future__ import annotations

from collections.abc import Sequence

from blade.stats import multiple

LEAST = 0.001
"""Facts smaller than this share of the reward scale (0.1 percentage points) are not named."""

ALPHA = 0.05


def holm(p: Sequence[float | None]) -> list[float | None]:
    """Holm's adjusted p values; None is no test and stays None."""
    adjusted = iter(multiple.holm([value for value in p if value is not None]))
    return [None if value is None else next(adjusted) for value in p]


def name_modes(points: Sequence[float], p: Sequence[float | None], change: float, least: float) -> list[bool]:
    """Which failure modes to name under a behaviour part that is itself named.

    Those that pull its way by at least `least`, and either pass Holm among the modes or pull most. A mode that pulls
    the other way is a migration, not a finding.
    """
    along = [value * change > 0.0 and abs(value) >= least for value in points]
    largest = max((abs(v) for v, a in zip(points, along, strict=True) if a), default=0.0)
    adjusted = holm(p)
    return [
        a and (abs(v) == largest or (q is not None and q < ALPHA))
        for v, a, q in zip(points, along, adjusted, strict=True)
    ]
