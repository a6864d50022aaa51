"""What the rows that were hit would have scored, had nothing hit them.

theta = P(hit | would pass) / P(hit | would fail), in [0, 1]: 1 for hits that do not look (an outage), 0 for hits on
rollouts that were lost anyway. By Bayes a share psi(g) = theta g / (1 - (1 - theta) g) of the hit rows would have
passed, where g is the rate of the task in a world without hits.
"""

from __future__ import annotations

import numpy as np

from blade.stats.ledger.rows import Floats

STEPS = 45


def would_pass(rate: Floats, theta: Floats) -> Floats:
    """psi(g) for each task (first axis of `rate`) and class (last axis of `theta`). 1 at g = 1 unless theta = 0."""
    g = np.clip(rate, 0.0, 1.0)[:, None]
    below = 1.0 - (1.0 - theta) * g
    return np.where(below > 0.0, theta * g / np.where(below > 0.0, below, 1.0), 0.0)


def clean_rate(clean: Floats, shares: Floats, theta: Floats) -> Floats:
    """The rate g without hits: the root in [a, a / (1 - sum q)] of a = g - sum_z q_z psi_z(g).

    `clean` is a, the rewards of clean rows over all rows of the task; `shares` is q [task, class]; `theta` one per
    class, or [task, class]. One value strictly between 0 and 1 per task has a closed form; several are bisected. A
    task of hit rows only (sum q = 1) has no rate of its own: 0.
    """
    theta = np.broadcast_to(np.asarray(theta, dtype=np.float64), shares.shape)
    loose = (shares > 0.0) & (theta > 0.0) & (theta < 1.0)
    top = np.where(loose, theta, -1.0).max(axis=1, initial=-1.0)
    several = (loose & (theta != top[:, None])).any(axis=1)
    exogenous = np.where(theta >= 1.0, shares, 0.0).sum(axis=1)
    selected = np.where(loose, shares, 0.0).sum(axis=1)
    rate = one_theta(clean, exogenous, selected, np.where(top < 0.0, 1.0, top))
    if several.any():
        rate[several] = bisected(clean[several], shares[several], theta[several])
    return rate


def one_theta(clean: Floats, exogenous: Floats, selected: Floats, theta: Floats) -> Floats:
    """Smaller root of c f g^2 - (c + a f - theta q) g + a = 0: f = 1 - theta, c = 1 - the share hit at theta = 1."""
    f, c = 1.0 - theta, 1.0 - exogenous
    half = c + clean * f - theta * selected
    root = np.sqrt(np.maximum(half * half - 4.0 * c * f * clean, 0.0))
    below = half + root
    rate = np.where(below > 0.0, 2.0 * clean / np.where(below > 0.0, below, 1.0), 0.0)
    return np.clip(rate, 0.0, 1.0)


def bisected(clean: Floats, shares: Floats, theta: Floats) -> Floats:
    """The same root by halving; the function is concave in g, so it crosses 0 once between the ends."""
    left = 1.0 - shares.sum(axis=1)
    low = clean.copy()
    high = np.where(left > 0.0, clean / np.where(left > 0.0, left, 1.0), 0.0)
    high = np.clip(np.maximum(high, low), 0.0, 1.0)
    for _ in range(STEPS):
        middle = (low + high) / 2.0
        short = middle - (shares * would_pass(middle, theta)).sum(axis=1) < clean
        low, high = np.where(short, middle, low), np.where(short, high, middle)
    return (low + high) / 2.0
