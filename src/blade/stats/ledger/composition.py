"""Which tasks each run has, and how much each task counts: the part of a change that no rollout explains.

Weights w add up to 1 over the tasks of a run (macro: the same for each task; micro: its share of the rows), and u is w
on the common tasks, scaled to add up to 1. M is the run's mean over the common tasks.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Literal

import numpy as np

from blade.frozen import frozen
from blade.stats.ledger.rows import Booleans, Floats, LedgerPair, LedgerRun

Weighting = Literal["macro", "micro"]

LABELS: tuple[tuple[str, str | None], ...] = (
    ("composition", "removed"),
    ("composition", "added"),
    ("coverage", "task_missing"),
    ("weights", None),
)
"""Cause and sub of each column of Composition.phi."""

FEW = 5
"""Fewer common tasks than this do not identify what happened inside them."""

SHARE = 0.3
"""Nor do common tasks with less than this share of either run's weight."""


@frozen
class Composition:
    weight_base: Floats  # w by task, 0 where the run lacks the task
    weight_candidate: Floats
    common: Booleans
    mean: Floats  # (ubar) weight of each common task inside them, 0 elsewhere
    phi: Floats  # [task, label]
    label: Floats  # [task, label], 1 where a task that one run lacks carries the label
    base: float | None  # score of the base run; None without rows
    candidate: float | None
    shares: tuple[float, float]  # of each run's weight in the common tasks

    @property
    def identified(self) -> bool:
        """Whether enough is common to speak of what happened inside tasks."""
        return int(self.common.sum()) >= FEW and min(self.shares) >= SHARE


def compose(pair: LedgerPair, base: LedgerRun, candidate: LedgerRun, weighting: Weighting = "macro") -> Composition:
    """Value the tasks that one run lacks, in the run that has them, against the common tasks.

    Only in the base: -w (m - M); only in the candidate: +w (m - M); `task_missing` if the manifest of the run without
    it expects it. Weights: (u_B - u_A)(m_A + m_B) / 2 on common tasks, 0 under macro. With the sum over common tasks of
    ubar (m_B - m_A) these add up to the change. Without common tasks M is halfway between the two scores.
    """
    a, b = pair.base, pair.candidate
    common = (a.n > 0) & (b.n > 0)
    w_a, w_b = _weights(a.n, weighting), _weights(b.n, weighting)
    s_a, s_b = total(w_a * a.mean), total(w_b * b.mean)
    share_a, share_b = total(w_a[common]), total(w_b[common])
    middle = (s_a + s_b) / 2.0
    m_a = total(w_a * common * a.mean) / share_a if common.any() else middle
    m_b = total(w_b * common * b.mean) / share_b if common.any() else middle
    u_a = w_a * common / (share_a or 1.0)
    u_b = w_b * common / (share_b or 1.0)
    lacking = _lacking(pair.tasks, common, a.n > 0, base, candidate)
    only = np.where(common, 0.0, w_b * (b.mean - m_b) - w_a * (a.mean - m_a))
    phi = lacking * only[:, None]
    if weighting == "micro":
        phi[:, LABELS.index(("weights", None))] = (u_b - u_a) * (a.mean + b.mean) / 2.0
    return Composition(
        weight_base=w_a,
        weight_candidate=w_b,
        common=common,
        mean=(u_a + u_b) / 2.0,
        phi=phi,
        label=lacking,
        base=s_a if a.n.any() else None,
        candidate=s_b if b.n.any() else None,
        shares=(share_a, share_b),
    )


def reach(pair: LedgerPair, composition: Composition, column: int) -> tuple[float, float]:
    """The part of a label wherever in [0, 1] the means of the common tasks lie: what it can be without knowing them."""
    label = composition.label[:, column]
    w_a, w_b = composition.weight_base * label, composition.weight_candidate * label
    plain = total(w_b * pair.candidate.mean) - total(w_a * pair.base.mean)  # at M = 0; M enters as +w M and -w M
    return plain - total(w_b), plain + total(w_a)


def total(values: Floats) -> float:
    """The exact sum, the same in any order."""
    return math.fsum(values.tolist())


def _weights(n: Floats, weighting: Weighting) -> Floats:
    raw = n if weighting == "micro" else (n > 0).astype(np.float64)
    total = float(raw.sum())
    return raw / total if total else raw


def _lacking(
    tasks: tuple[Hashable, ...], common: Booleans, in_base: Booleans, base: LedgerRun, candidate: LedgerRun
) -> Floats:
    """One column per label, 1 where the task is in one run only and carries the label."""
    shares = np.zeros((len(tasks), len(LABELS)))
    for row, task in enumerate(tasks):
        if common[row]:
            continue
        expected = (candidate if in_base[row] else base).expected
        if expected is not None and task in expected:
            shares[row, 2] = 1.0
        else:
            shares[row, 0 if in_base[row] else 1] = 1.0
    return shares
