"""The parts inside common tasks, with what is known about each: interval, bounds, status and p."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import numpy.typing as npt

from blade.frozen import frozen
from blade.stats.ledger.behaviour import split_modes
from blade.stats.ledger.composition import Composition, total
from blade.stats.ledger.decomposition import DUST, TaskDecomposition, decompose_tasks
from blade.stats.ledger.intervals import Span, hull, task_interval, task_p
from blade.stats.ledger.naming import LEAST
from blade.stats.ledger.parts import Settings, Status
from blade.stats.ledger.rows import CLASSES, ClassCounts, Floats, LedgerPair
from blade.stats.ledger.theta import (
    ASSUMED,
    UNSURE,
    Theta,
    control_error,
    estimate_theta,
    exogeneity_p,
    given_control,
    length_control,
)

CAUSES: tuple[tuple[str, str | None], ...] = (
    ("coverage", "rows_missing"),
    ("infrastructure", None),
    ("verifier", "error"),
    ("truncation", None),
    ("malformed", None),
    ("behaviour", "broken_tool"),
)
"""Cause and sub of each class."""

BEHAVIOUR, UNRESOLVED, MODES = len(CLASSES), len(CLASSES) + 1, len(CLASSES) + 2
"""Columns of a view after those of the classes; failure modes stand from MODES on."""

LOOSE = (CLASSES.index("missing"), *UNSURE)
"""Classes whose theta the data leave open."""

BY_MEAN = 0.8
"""The share of the error that the test of the mean gets where slices are searched as well."""


@frozen
class Draft:
    """A part before it is named, on the unit scale."""

    cause: str
    sub: str | None
    phi: Floats  # by task of the union, weighted
    rollouts: int
    interval: Span | None
    bounds: Span | None
    status: Status
    p: float | None
    theta: Theta | None = None

    @property
    def points(self) -> float:
        return total(self.phi)


@frozen
class CommonTasks:
    """Common tasks of a pair with all that was settled about their classes."""

    common: npt.NDArray[np.intp]
    base: ClassCounts
    candidate: ClassCounts
    weight: Floats  # ubar
    present: tuple[int, ...]  # classes with rows
    thetas: dict[int, Theta]
    extra: dict[int, float]  # variance of a part that all tasks share, by class
    control: Floats  # [task, class]
    used: Floats  # theta by class

    def within(self, theta: Floats) -> TaskDecomposition:
        return decompose_tasks(self.base, self.candidate, theta, self.control)

    def view(self, theta: Floats) -> Floats:
        """Weighted parts [task, column] at this theta: classes, behaviour, unresolved, failure modes."""
        decomposition = self.within(theta)
        modes = split_modes(self.base, self.candidate, decomposition.behaviour)
        columns = np.hstack(
            [decomposition.classes, decomposition.behaviour[:, None], decomposition.unresolved[:, None], modes]
        )
        return columns * self.weight[:, None]

    def at(self, column: int, theta: float) -> Floats:
        """The weighted part of a class if its theta were this, also on tasks where a run has no clean row.

        With one attempt a task, no task has both a hit row and a clean one: what its hit row would have scored is as
        open as elsewhere, whatever the point estimate takes for it.
        """
        changed, lacking = self.used.copy(), np.ones(len(CLASSES))
        changed[column] = lacking[column] = theta
        decomposition = decompose_tasks(self.base, self.candidate, changed, self.control, lacking)
        values: Floats = decomposition.classes[:, column] * self.weight
        return values

    def moved(self, column: int) -> bool:
        """Whether the share of a class changed in any task."""
        shares = [c.count[:, column] / c.n for c in (self.base, self.candidate)]
        return bool((shares[0] != shares[1]).any())

    def open_classes(self) -> tuple[int, ...]:
        return tuple(z for z in self.present if z in LOOSE and self.thetas[z].source in {"assumed", "differences"})

    def corners(self) -> list[Floats]:
        """Views at the ends of every theta that the data leave open."""
        loose = self.open_classes()
        views = []
        for ends in product((0.0, 1.0), repeat=len(loose)):
            theta = self.used.copy()
            theta[list(loose)] = ends
            views.append(self.view(theta))
        return views


def common_tasks(pair: LedgerPair, composition: Composition, settings: Settings) -> CommonTasks:
    """Settle theta or a control for each class that common tasks have rows of."""
    common = np.flatnonzero(composition.common)
    base, candidate = pair.base.take(common), pair.candidate.take(common)
    weight = composition.mean[common]
    rows = (base.count + candidate.count).sum(axis=0)
    present = tuple(z for z in range(len(CLASSES)) if rows[z] > 0)
    control = np.full((len(common), len(CLASSES)), np.nan)
    thetas: dict[int, Theta] = {}
    extra: dict[int, float] = {}
    for z in present:
        name = CLASSES[z]
        if name in settings.theta:
            thetas[z] = Theta(settings.theta[name], "given")
            continue
        estimated = estimate_theta(base, candidate, z) if z in UNSURE else None
        thetas[z] = estimated or Theta(ASSUMED[name], "assumed")
        by_length = length_control(pair, common) if name == "truncation" else None
        dq = candidate.count[:, z] / candidate.n - base.count[:, z] / base.n
        if name in settings.controls:
            control[:, z] = given_control(pair, common, settings.controls[name])
            if not np.isnan(control[dq != 0.0, z]).any():
                thetas[z] = Theta(None, "control")
        elif by_length is not None:
            control[:, z], length_slope = by_length
            thetas[z] = Theta(None, "control")
            extra[z] = (total(weight * dq * length_slope) * control_error(pair, common)) ** 2
    values = [thetas[z].value if z in thetas else None for z in range(len(CLASSES))]
    used = np.array([ASSUMED[n] if v is None else v for n, v in zip(CLASSES, values, strict=True)])
    return CommonTasks(common, base, candidate, weight, present, thetas, extra, control, used)


def class_draft(common: CommonTasks, column: int, values: Floats, spread: Callable[[Floats], Floats]) -> Draft:
    """The part of one class. `values` are its weighted entries, `spread` puts them among the tasks of the union."""
    theta, extra = common.thetas[column], common.extra.get(column, 0.0)
    by_tasks, p = task_interval(values, extra), task_p(values, extra)
    rollouts = int((common.base.count + common.candidate.count)[:, column].sum())
    bounds: Span | None = None
    interval = by_tasks
    status: Status = "identified"
    if theta.source != "control":
        low, high = common.at(column, 0.0), common.at(column, 1.0)
        bounds = _ends(total(values), total(low), total(high))
        if bounds[1] - bounds[0] > DUST:
            interval, status, p = _open(common, column, values, (low, high), p)
    cause, sub = CAUSES[column]
    return Draft(cause, sub, spread(values), rollouts, interval, bounds, status, p, theta)


def _open(
    common: CommonTasks, column: int, values: Floats, ends: tuple[Floats, Floats], p: float | None
) -> tuple[Span | None, Status, float | None]:
    """Interval, status and p of a class part that theta moves."""
    theta, by_tasks = common.thetas[column], task_interval(values)
    bounds = hull(by_tasks, task_interval(ends[0]), task_interval(ends[1]))
    if theta.source == "given":
        return by_tasks, "assumed", p
    if column not in LOOSE:
        exogenous = exogeneity_p(common.base, common.candidate, column)
        if exogenous is None or exogenous >= 0.05:
            return by_tasks, "assumed" if exogenous is None else "identified", p
        return hull(by_tasks, task_interval(common.at(column, 0.5))), "assumed", p
    if column not in UNSURE:
        return bounds, "bounds", p
    interval = _by_differences(common, column, values, ends) if theta.source == "differences" else bounds
    return interval, "bounds", worst_p(list(ends))


def _by_differences(common: CommonTasks, column: int, values: Floats, ends: tuple[Floats, Floats]) -> Span | None:
    """From the part at theta = 0 to the far end of the estimate, at most the part at theta = 1 with its own noise."""
    theta, at_least, at_most = common.thetas[column], task_interval(ends[0]), task_interval(ends[1])
    if at_least is None or at_most is None:
        return None
    p0, p1 = total(ends[0]), total(ends[1])
    far = total(common.at(column, theta.far)) if theta.beyond <= 1.0 else p1 + (p1 - p0) * (theta.beyond - 1.0)
    far = min(max(far, min(at_most[0], p0)), max(at_most[1], p0))
    points = total(values)
    return hull(at_least, (far, far), (points, points))


def worst_p(views: list[Floats]) -> float | None:
    """The largest p over views that the data cannot tell apart; 1 if they do not agree on the sign."""
    p_values = [task_p(view) for view in views]
    signs = {np.sign(total(view)) for view in views}
    known_p = [p for p in p_values if p is not None]
    if len(known_p) < len(p_values):
        return None
    return max(known_p) if len(signs) == 1 and 0.0 not in signs else 1.0


def max_p(*values: float | None) -> float | None:
    known_values = [value for value in values if value is not None]
    return max(known_values) if len(known_values) == len(values) else None


def _behaviour_p(settings: Settings, ends: list[Floats]) -> float | None:
    """P of the whole behaviour part by the tests of clean rows that the settings bring; None if they bring none.

    Two ways in share the error between them: the mean over all tasks, with most of it, and the slice that stands out
    among them. Where theta is open (`ends` are the views at its ends), the mean must speak at both: with the rows it is
    open for left out, and with them as failures.
    """
    if settings.behaviour_p is None:
        return None
    if ends:
        agreed = len({np.sign(total(end)) for end in ends} - {0.0}) == 1
        has_open_p = settings.behaviour_open_p is not None
        worst = max_p(settings.behaviour_p, settings.behaviour_open_p if has_open_p else worst_p(ends))
        return worst if agreed else 1.0
    candidates = [settings.behaviour_p / BY_MEAN]
    if settings.behaviour_slice_p is not None:
        candidates.append(settings.behaviour_slice_p / (1.0 - BY_MEAN))
    return min(1.0, *candidates) if len(candidates) > 1 else settings.behaviour_p


def behaviour_drafts(
    common: CommonTasks,
    view: Floats,
    classes: list[Draft],
    modes: tuple[str | None, ...],
    settings: Settings,
    spread: Callable[[Floats], Floats],
) -> tuple[Draft, list[Draft]]:
    """The behaviour part as a whole, and the same by failure mode (drafts of modes that change nothing left out)."""
    corners = common.corners() if common.open_classes() else []
    failed = (common.base.failed + common.candidate.failed).sum(axis=0)

    def draft(column: int, sub: str | None, rollouts: int) -> Draft:
        values, ends = view[:, column], [corner[:, column] for corner in corners]
        bounds = _ends(total(values), *map(total, ends)) if ends else None
        wide = bounds is not None and bounds[1] - bounds[0] > LEAST
        interval = hull(task_interval(values), *map(task_interval, ends)) if wide else task_interval(values)
        p = _behaviour_p(settings, ends if wide else []) if column == BEHAVIOUR else None
        if p is None:
            p = max_p(task_p(values), worst_p(ends)) if wide else task_p(values)
        assumed = any(c.status == "assumed" and c.bounds and c.bounds[1] - c.bounds[0] > LEAST for c in classes)
        unseen = settings.verifier_changed and not (common.base.rescored.any() or common.candidate.rescored.any())
        status: Status = "not_identified" if unseen else "bounds" if wide else "assumed" if assumed else "identified"
        return Draft("behaviour", sub, spread(values), rollouts, interval, bounds, status, p)

    behaviour = draft(BEHAVIOUR, None, int(failed.sum()))
    parts = [draft(MODES + f, mode, int(failed[f])) for f, mode in enumerate(modes) if view[:, MODES + f].any()]
    return behaviour, parts


def _ends(*values: float) -> Span:
    return min(values), max(values)
