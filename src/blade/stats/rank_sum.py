"""Whether values of some groups lie above those of others: Mann and Whitney for two, Kruskal and Wallis for more."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from blade.stats.quantiles import tied_groups
from blade.stats.scipy_functions import special


def rank_sum_p(left: npt.NDArray[np.float64], right: npt.NDArray[np.float64]) -> float:
    """Two-sided p by the normal law, with the correction for ties and for continuity; 1 where all values are equal."""
    values = np.concatenate([left, right])
    group, sizes = tied_groups(values)
    ranks = (np.cumsum(sizes) - (sizes - 1) / 2.0)[group]
    a, b, n = len(left), len(right), len(values)
    ties = float((sizes.astype(np.float64) ** 3 - sizes).sum())
    spread = math.sqrt(a * b / 12.0 * (n + 1 - ties / (n * (n - 1)))) if n > 1 else 0.0
    if not spread:
        return 1.0
    above = float(ranks[:a].sum()) - a * (a + 1) / 2.0
    z = (max(above, a * b - above) - a * b / 2.0 - 0.5) / spread
    return min(1.0, 2.0 * float(special.ndtr(-z)))


def kruskal_p(samples: Sequence[Sequence[float] | npt.NDArray[np.float64]]) -> float:
    """P by the chi-squared law, with the correction for ties; 1 where all values are equal."""
    values = np.concatenate([np.asarray(sample, np.float64) for sample in samples])
    group, sizes = tied_groups(values)
    ranks = (np.cumsum(sizes) - (sizes - 1) / 2.0)[group]
    n = len(values)
    ties = 1.0 - float((sizes.astype(np.float64) ** 3 - sizes).sum()) / (n**3 - n) if n > 1 else 0.0
    if not ties:
        return 1.0
    ends = np.cumsum([len(sample) for sample in samples])
    sums = np.diff(np.concatenate([[0.0], np.cumsum(ranks)[ends - 1]]))
    uneven = float((sums**2 / np.diff(ends, prepend=0)).sum())
    return float(special.chdtrc(len(samples) - 1, (12.0 / (n * (n + 1)) * uneven - 3.0 * (n + 1)) / ties))
