"""Views of what the rollouts did: by failure mode, and by capability and reliability. Each view adds up by itself."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from blade.frozen import frozen
from blade.stats.ledger.composition import total
from blade.stats.ledger.decomposition import DUST
from blade.stats.ledger.rows import ClassCounts, Floats


def split_modes(base: ClassCounts, candidate: ClassCounts, behaviour: Floats) -> Floats:
    """The behaviour part of each common task by failure mode, [task, mode]; rows add up to `behaviour`.

    rho_f = loss of clean rows of mode f / clean rows, so that 1 - mu = sum rho_f. With Q the share of rows hit,
    phi_f = -(1 - mean Q) d rho_f + share_f * rest, where share_f goes by mean rho_f. The rest is
    -sum_z dq_z (mean mu - mean psi_z): losses that moved between clean rows and hit rows; it is 0 at theta = 1. The
    last mode, no mode known, takes the rest where no clean row lost anything.
    """
    rho_a, rho_b = (c.loss / np.maximum(c.clean, 1.0)[:, None] for c in (base, candidate))
    clean_in_both = (base.clean > 0) & (candidate.clean > 0)
    unhit = (base.clean / base.n + candidate.clean / candidate.n) / 2.0  # 1 - mean Q
    phi = np.where(clean_in_both[:, None], -unhit[:, None] * (rho_b - rho_a), 0.0)
    remainder = behaviour - phi.sum(axis=1)
    remainder = np.where(np.abs(remainder) < DUST, 0.0, remainder)
    mean = (rho_a + rho_b) / 2.0
    mode_total = mean.sum(axis=1)
    share = mean / np.where(mode_total > 0.0, mode_total, 1.0)[:, None]
    share[mode_total == 0.0, -1] = 1.0
    spread: Floats = phi + share * remainder[:, None]
    return spread


@frozen
class Migration:
    """Losses that changed their mode: what one group of modes gained, another lost. One fact, not two."""

    points: float  # moved, not below 0
    net: float  # what is left: the behaviour part
    less: tuple[str | None, ...]  # modes that cost less in the candidate, largest first
    more: tuple[str | None, ...]  # modes that cost more


def mode_migration(points: Mapping[str | None, float], least: float = 0.001) -> Migration | None:
    """The mass that moved between modes: the smaller of all gains and all losses; None below `least`."""
    order = sorted(points, key=lambda mode: (-abs(points[mode]), mode is None, mode or ""))
    gains = total(np.array([v for v in points.values() if v > 0.0]))
    losses = -total(np.array([v for v in points.values() if v < 0.0]))
    if min(gains, losses) < least:
        return None
    cheaper, costlier = (tuple(m for m in order if sign * points[m] > 0.0) for sign in (1.0, -1.0))
    return Migration(min(gains, losses), gains - losses, cheaper, costlier)


@frozen
class Capability:
    """A change by whether a task is ever solved. The four add up to the change."""

    gained: float  # never in the base, sometimes in the candidate
    lost: float  # the other way round
    reliability: float  # sometimes in both
    partial: float  # never in either: part rewards only


def capability(passes_base: npt.ArrayLike, passes_candidate: npt.ArrayLike, values: npt.ArrayLike) -> Capability:
    """Split per-task values (points of the score) by passes in the two runs. Compare with what noise alone would do."""
    some_a, some_b = (np.asarray(p, dtype=np.float64) > 0 for p in (passes_base, passes_candidate))
    v = np.asarray(values, dtype=np.float64)
    return Capability(
        gained=total(v[~some_a & some_b]),
        lost=total(v[some_a & ~some_b]),
        reliability=total(v[some_a & some_b]),
        partial=total(v[~some_a & ~some_b]),
    )
