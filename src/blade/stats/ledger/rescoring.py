"""The part of a change that lies in the verifier: the same rows, scored by both."""

from __future__ import annotations

from collections.abc import Callable

from blade.stats.ledger.common_tasks import Draft, Inside
from blade.stats.ledger.composition import total
from blade.stats.ledger.intervals import Span, hull, task_interval, task_p
from blade.stats.ledger.parts import Settings, Status
from blade.stats.ledger.rows import Cells, Floats


def verifier_values(inside: Inside) -> Floats:
    """Weighted change that the verifier makes, per common task.

    Re-scored on both sides: [(m_A^vB - m_A^vA) + (m_B^vB - m_B^vA)] / 2, and all else is told with the mean of both
    rewards; on one side: that side's term alone, and all else is told with its re-scored reward. Either way it is the
    change as written minus the change as told. Rows that were not re-scored keep their reward, so it is a lower bound.
    """
    told = [(c.total.sum(axis=1) + c.clean_total) / c.n for c in (inside.base, inside.candidate)]
    disputed = (inside.base.disputed + inside.candidate.disputed) > 0
    written = inside.candidate.mean - inside.base.mean
    values: Floats = (written - (told[1] - told[0])) * inside.weight * disputed
    return values


def rescored_share(cells: Cells) -> float:
    rows = float(cells.n.sum())
    return float(cells.rescored.sum()) / rows if rows else 0.0


def verifier_draft(
    inside: Inside, settings: Settings, two_sided: bool, others: Floats, spread: Callable[[Floats], Floats]
) -> Draft | None:
    """The part `verifier: change`; `others` is what else happened inside common tasks, weighted.

    Identified if every row was scored by both verifiers, assumed if every row of one run was, else bounds, from the
    part to the part and all the rest; the interval then holds both ends with their noise. With no row re-scored but
    verifiers known to differ: 0, not identified, bounds from 0 to all of it. None where there is nothing to say.
    """
    values, rest = verifier_values(inside), total(others)
    shares = [rescored_share(c) for c in (inside.base, inside.candidate)]
    if not any(shares):
        if not settings.verifier_changed or not len(inside.common):
            return None
        unknown: Span = (min(0.0, rest), max(0.0, rest))
        return Draft("verifier", "change", spread(values), 0, None, unknown, "not_identified", None)
    if not values.any():
        return None
    points = total(values)
    status: Status = "bounds"
    bounds: Span | None = (points + min(0.0, rest), points + max(0.0, rest))
    interval = hull(task_interval(values), task_interval(values + others))
    if (min(shares) if two_sided else max(shares)) == 1.0:
        status, bounds, interval = ("identified" if two_sided else "assumed"), None, task_interval(values)
    p = task_p(values) if settings.verifier_p is None else settings.verifier_p
    rollouts = int((inside.base.disputed + inside.candidate.disputed).sum())
    return Draft("verifier", "change", spread(values), rollouts, interval, bounds, status, p)
