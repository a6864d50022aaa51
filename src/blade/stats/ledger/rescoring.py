"""The part of a change that lies in the verifier: the same rows, scored by both."""

from __future__ import annotations

from collections.abc import Callable

from blade.stats.ledger.common_tasks import CommonTasks, Draft
from blade.stats.ledger.composition import total
from blade.stats.ledger.intervals import Span, hull, task_interval, task_p
from blade.stats.ledger.parts import Settings, Status
from blade.stats.ledger.rows import ClassCounts, Floats


def verifier_values(common: CommonTasks) -> Floats:
    """Weighted change that the verifier makes, per common task.

    Re-scored on both sides: [(m_A^vB - m_A^vA) + (m_B^vB - m_B^vA)] / 2, and all else is told with the mean of both
    rewards; on one side: that side's term alone, and all else is told with its re-scored reward. Either way it is the
    change as written minus the change as told. Rows that were not re-scored keep their reward, so it is a lower bound.
    """
    first_verdicts = [(c.total.sum(axis=1) + c.clean_total) / c.n for c in (common.base, common.candidate)]
    disputed = (common.base.disputed + common.candidate.disputed) > 0
    final_verdicts = common.candidate.mean - common.base.mean
    values: Floats = (final_verdicts - (first_verdicts[1] - first_verdicts[0])) * common.weight * disputed
    return values


def rescored_share(cells: ClassCounts) -> float:
    rows = float(cells.n.sum())
    return float(cells.rescored.sum()) / rows if rows else 0.0


def verifier_draft(
    common: CommonTasks, settings: Settings, two_sided: bool, other_parts: Floats, spread: Callable[[Floats], Floats]
) -> Draft | None:
    """The part `verifier: change`; `other_parts` is what else happened inside common tasks, weighted.

    Identified if every row was scored by both verifiers, assumed if every row of one run was, else bounds, from the
    part to the part and all the rest; the interval then holds both ends with their noise. With no row re-scored but
    verifiers known to differ: 0, not identified, bounds from 0 to all of it. None where there is nothing to say.
    """
    values, remainder = verifier_values(common), total(other_parts)
    shares = [rescored_share(c) for c in (common.base, common.candidate)]
    if not any(shares):
        if not settings.verifier_changed or not len(common.common):
            return None
        unknown: Span = (min(0.0, remainder), max(0.0, remainder))
        return Draft("verifier", "change", spread(values), 0, None, unknown, "not_identified", None)
    if not values.any():
        return None
    points = total(values)
    status: Status = "bounds"
    bounds: Span | None = (points + min(0.0, remainder), points + max(0.0, remainder))
    interval = hull(task_interval(values), task_interval(values + other_parts))
    if (min(shares) if two_sided else max(shares)) == 1.0:
        status, bounds, interval = ("identified" if two_sided else "assumed"), None, task_interval(values)
    p = task_p(values) if settings.verifier_p is None else settings.verifier_p
    rollouts = int((common.base.disputed + common.candidate.disputed).sum())
    return Draft("verifier", "change", spread(values), rollouts, interval, bounds, status, p)
