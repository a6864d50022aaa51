"""How far two who judged the same things agree, beyond what chance would give; and what a sample says of the whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from math import ceil, floor

from blade.stats.intervals import wilson


def kappa(pairs: Sequence[tuple[Hashable, Hashable]]) -> float | None:
    """Cohen's kappa; None where there is nothing to compare, or only one answer was ever given."""
    if not pairs:
        return None
    size = len(pairs)
    first, second = Counter(pair[0] for pair in pairs), Counter(pair[1] for pair in pairs)
    by_chance = sum(first[answer] * second[answer] for answer in first) / size**2
    if by_chance == 1:
        return None
    return (sum(first == second for first, second in pairs) / size - by_chance) / (1 - by_chance)


def estimated_total(hits: int, sample: int, population: int, level: float = 0.95) -> tuple[float, int, int]:
    """How many of a population are hits, from a sample drawn at random without putting back: estimate and interval.

    Wilson's interval with the number of draws that the finite population makes them worth; ends are whole, and never
    below the hits that were drawn nor above what the misses leave.
    """
    if not 0 < sample <= population or not 0 <= hits <= sample:
        raise ValueError(f"{hits} of {sample} of {population} is no sample")
    if sample == population:
        return float(hits), hits, hits
    worth = (population - 1) / (population - sample)
    low, high = wilson(hits * worth, sample * worth, level)
    return (
        population * hits / sample,
        max(hits, floor(population * low)),
        min(population - (sample - hits), ceil(population * high)),
    )
