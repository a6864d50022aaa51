"""Whether one group's odds against another's are other in a part than outside it."""

from __future__ import annotations

import math

Outcomes = tuple[int, int, int, int]
"""Passes and failures of one group, passes and failures of the other."""


def odds_change(inside: Outcomes, outside: Outcomes) -> float:
    """The log of the odds ratio inside less that outside, in standard errors.

    Half a rollout more in each cell, so that none is empty. Who fails nearly everything is far behind everywhere, and
    no further behind, by this measure, where the others are strong.
    """
    cells = [[many + 0.5 for many in outcomes] for outcomes in (inside, outside)]
    change = math.log(_ratio(*cells[0]) / _ratio(*cells[1]))
    return change / math.sqrt(sum(1 / cell for outcomes in cells for cell in outcomes))


def odds_change_p(inside: Outcomes, outside: Outcomes) -> float:
    """How often chance alone sets the odds inside and outside so far apart, either way."""
    return math.erfc(abs(odds_change(inside, outside)) / math.sqrt(2))


def _ratio(passes: float, failures: float, other_passes: float, other_failures: float) -> float:
    return passes * other_failures / failures / other_passes
