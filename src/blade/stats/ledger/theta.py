"""How strongly hits select: theta by difference in differences, or a control that makes theta needless.

Being hit picks, inside a task, rollouts that were failing already, so the difference in differences blames a class too
much. Without a control, truncation and malformed output are known within bounds only.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping

import numpy as np
import numpy.typing as npt

from blade.frozen import frozen
from blade.stats.ledger.composition import total
from blade.stats.ledger.rows import CLASSES, Booleans, ClassCounts, Floats, LedgerPair
from blade.stats.ledger.selection import clean_rate, would_pass
from blade.stats.rank_sum import rank_sum_p
from blade.stats.scipy_functions import special

ASSUMED = dict(zip(CLASSES, (1.0, 1.0, 1.0, 0.5, 0.5, 1.0), strict=True))
"""theta where nothing estimates it: hits from outside do not look; of the others we know nothing."""

UNSURE = tuple(CLASSES.index(name) for name in ("truncation", "malformed"))
NEEDED = 8
"""Tasks hit, tasks untouched, or control rows that an estimate needs."""

GRID = np.linspace(0.0, 1.0, 21)


@frozen
class Theta:
    """What was taken for one class."""

    value: float | None  # None where a control says what hit rows missed
    source: str  # "assumed", "given", "differences", "control"
    far: float = 1.0  # the upper end of what the differences allow, on the scale of theta ...
    beyond: float = 1.0  # ... and how many times the loss at theta = 1 it is, where it is more

    @property
    def estimated(self) -> bool:
        return self.source in {"differences", "control"}


def estimate_theta(base: ClassCounts, candidate: ClassCounts, column: int, level: float = 0.95) -> Theta | None:
    """The theta of a class by difference in differences over common tasks; None with too few tasks.

    H: tasks where the share of this class alone changed; U: tasks without it where no share changed. With a the clean
    rewards over all rows, D = da and s = sign(dq), the loss is L = -sum_H s (D - mean_U D), with variance
    |H| var_H(sD) + (sum_H s)^2 var_U(D) / |U|. The sign makes L the same when the runs swap places. The estimate is
    the mean of N(L, se^2) within [L(theta = 0), L(theta = 1)], read off a grid of theta.
    """
    q_a, q_b = base.count / base.n[:, None], candidate.count / candidate.n[:, None]
    dq = q_b - q_a
    alone = ~np.delete(dq != 0.0, column, axis=1).any(axis=1)
    clean_in_both = (base.clean > 0) & (candidate.clean > 0)
    hit = alone & clean_in_both & (dq[:, column] != 0.0)
    untouched = alone & clean_in_both & (base.count[:, column] == 0.0) & (candidate.count[:, column] == 0.0)
    if hit.sum() < NEEDED or untouched.sum() < NEEDED:
        return None
    change = candidate.clean_total / candidate.n - base.clean_total / base.n
    sign = np.sign(dq[hit, column])
    drift = total(change[untouched]) / float(untouched.sum())
    loss = -total(sign * (change[hit] - drift))
    variance = float(hit.sum()) * _variance(sign * change[hit])
    variance += float(sign.sum()) ** 2 * _variance(change[untouched]) / float(untouched.sum())
    grid = _losses(base, candidate, hit, column)
    if grid[-1] <= 1e-12:  # the tasks hit never pass: theta moves nothing
        return None
    se = math.sqrt(variance)
    value = float(np.interp(_truncated_mean(loss, se, float(grid[-1])), grid, GRID))
    far = loss + float(special.stdtrit(float(hit.sum()) - 1.0, (1.0 + level) / 2.0)) * se
    return Theta(value, "differences", float(np.interp(far, grid, GRID)), max(1.0, far / float(grid[-1])))


def _losses(base: ClassCounts, candidate: ClassCounts, hit: Booleans, column: int) -> Floats:
    """What the class took from the tasks hit, at each theta of the grid: sum of |dq| mean(psi)."""
    count = int(hit.sum())
    theta = np.tile([ASSUMED[name] for name in CLASSES], (len(GRID) * count, 1))
    theta[:, column] = np.repeat(GRID, count)
    psi, shares = [], []
    for cells in (base, candidate):
        q = (cells.count / cells.n[:, None])[hit]
        clean = (cells.clean_total / cells.n)[hit]
        rate = clean_rate(np.tile(clean, len(GRID)), np.tile(q, (len(GRID), 1)), theta)
        psi.append(would_pass(rate, theta)[:, column])
        shares.append(q[:, column])
    absolute_losses = np.abs(shares[1] - shares[0]) * ((psi[0] + psi[1]) / 2.0).reshape(len(GRID), count)
    return np.array([total(row) for row in absolute_losses])


def _variance(values: Floats) -> float:
    mean = total(values) / len(values)
    return total((values - mean) ** 2) / (len(values) - 1)


def _truncated_mean(mean: float, sd: float, top: float) -> float:
    """Mean of a normal law cut to [0, top], by summing it over a fine grid; safe however far outside the mean lies."""
    if sd < top / 1000.0:
        return min(max(mean, 0.0), top)
    points = np.linspace(0.0, top, 2001)
    log = -0.5 * ((points - mean) / sd) ** 2
    weight = np.exp(log - log.max())
    return float((points * weight).sum() / weight.sum())


def length_control(pair: LedgerPair, common: npt.NDArray[np.intp]) -> tuple[Floats, Floats] | None:
    """What truncated rows missed by a lowered cap, per common task, from the run that had the larger cap.

    Its rows of at least the smaller cap's length would have been cut. psi_t is their mean reward in the task, drawn
    toward their mean over all tasks by one row's worth. Returns psi and the weight of that overall mean in each. None
    without a lowered cap or with fewer than 8 such rows.
    """
    if pair.capped is None:
        return None
    larger = (pair.candidate if pair.capped == "base" else pair.base).take(common)
    rows = float(larger.long_rows.sum())
    if rows < NEEDED:
        return None
    overall = total(larger.long_total) / rows
    return (larger.long_total + overall) / (larger.long_rows + 1.0), 1.0 / (larger.long_rows + 1.0)


def control_error(pair: LedgerPair, common: npt.NDArray[np.intp]) -> float:
    """Standard error of the control's overall mean, tasks as clusters."""
    larger = (pair.candidate if pair.capped == "base" else pair.base).take(common)
    rows = float(larger.long_rows.sum())
    tasks = float((larger.long_rows > 0).sum())
    overall = total(larger.long_total) / rows
    spread = total((larger.long_total - overall * larger.long_rows) ** 2)
    return math.sqrt(spread * tasks / max(tasks - 1.0, 1.0)) / rows


def given_control(pair: LedgerPair, common: npt.NDArray[np.intp], control_by_task: Mapping[Hashable, float]) -> Floats:
    """What hit rows are known to have missed, by task, from a rerun or a re-extraction; NaN where it is not known."""
    return np.array([control_by_task.get(pair.tasks[i], math.nan) for i in common], dtype=np.float64)


def exogeneity_p(base: ClassCounts, candidate: ClassCounts, column: int) -> float | None:
    """Whether a class hits tasks without regard to how hard they are: p of Mann and Whitney over common tasks.

    Tasks that the class hit in one run against the others, by the clean mean of the other run; twice the smaller p of
    the two directions. None where fewer than 5 tasks stand on either side.
    """
    p_values = []
    for run_cells, other_cells in ((base, candidate), (candidate, base)):
        clean_there = other_cells.clean > 0
        hit = run_cells.count[:, column] > 0
        rate = other_cells.clean_total / np.maximum(other_cells.clean, 1.0)
        rate_hit, rate_unhit = rate[clean_there & hit], rate[clean_there & ~hit]
        if min(len(rate_hit), len(rate_unhit)) < 5:
            continue
        p_values.append(rank_sum_p(rate_hit, rate_unhit))
    return min(1.0, len(p_values) * min(p_values)) if p_values else None
