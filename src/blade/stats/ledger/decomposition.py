"""What happened inside the common tasks: each class of hits, and the behaviour of the rows that were not hit.

Per task, with q the share of rows in a class, mu their mean reward, psi what they would have scored and d = B - A:

    phi_class     = -dq * mean(psi) + d(q mu)
    phi_behaviour = dg - sum over classes of mean(q) * dpsi

These add up to m_B - m_A for any theta. A class whose share and rewards stay as they were gets exactly 0.
"""

from __future__ import annotations

import numpy as np

from blade.frozen import frozen
from blade.stats.ledger.rows import Booleans, ClassCounts, Floats
from blade.stats.ledger.selection import clean_rate, would_pass

DUST = 1e-12
"""Smaller remainders are rounding."""


@frozen
class TaskDecomposition:
    """Change inside each common task, before weights."""

    classes: Floats  # [task, class]
    behaviour: Floats
    unresolved: Floats  # what is left where a run has no clean row
    imputed: Booleans  # where one run has none, and its clean rate was taken from the other
    psi: Floats  # [task, class] what hit rows would have scored, mean of the two runs


def decompose_tasks(
    base: ClassCounts, candidate: ClassCounts, theta: Floats, control: Floats, lacking: Floats | float = 1.0
) -> TaskDecomposition:
    """Split the change of each task; both runs must have rows on each.

    `theta` holds one value per class. `control` [task, class] holds what hit rows are known to have missed, from a
    control, and NaN where theta rules. Where one run has no clean row, its clean rate is that of the other run and
    theta is `lacking`, 1 unless an end of what is open is asked for; where neither has one, psi is 0 and rates and
    rewards alone speak.
    """
    q_a, q_b = base.count / base.n[:, None], candidate.count / candidate.n[:, None]
    reward_a, reward_b = base.total / base.n[:, None], candidate.total / candidate.n[:, None]
    clean_a, clean_b = base.clean > 0, candidate.clean > 0
    clean_in_both, neither = clean_a & clean_b, ~clean_a & ~clean_b
    bound = np.where(clean_in_both[:, None], theta, lacking)
    g_a = _rate(base, q_a, bound, control)
    g_b = _rate(candidate, q_b, bound, control)
    g_a, g_b = np.where(clean_a, g_a, g_b), np.where(clean_b, g_b, g_a)
    psi = (_psi(g_a, bound, control) + _psi(g_b, bound, control)) / 2.0
    psi[neither] = 0.0
    classes = (reward_b - reward_a) - (q_b - q_a) * psi
    change = _mean(candidate) - _mean(base)
    remainder = change - classes.sum(axis=1)
    remainder = np.where(np.abs(remainder) < DUST, 0.0, remainder)
    return TaskDecomposition(
        classes=classes,
        behaviour=np.where(clean_in_both, remainder, 0.0),
        unresolved=np.where(clean_in_both, 0.0, remainder),
        imputed=clean_a ^ clean_b,
        psi=psi,
    )


def _mean(cells: ClassCounts) -> Floats:
    """Mean reward, free of a verifier change."""
    total: Floats = cells.total.sum(axis=1) + cells.clean_total
    return total / cells.n


def _rate(cells: ClassCounts, shares: Floats, theta: Floats, control: Floats) -> Floats:
    """Clean rate g; what a control says about hit rows is added to the clean rewards."""
    has_control = ~np.isnan(control)
    clean = cells.clean_total / cells.n + np.where(has_control, shares * np.where(has_control, control, 0.0), 0.0).sum(
        axis=1
    )
    return clean_rate(clean, np.where(has_control, 0.0, shares), theta)


def _psi(rate: Floats, theta: Floats, control: Floats) -> Floats:
    return np.where(np.isnan(control), would_pass(rate, theta), control)
